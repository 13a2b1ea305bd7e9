// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Makes a recording louder on the GPU and clips what gets too loud: `out[i] = gain * in[i]`, but at least -1
/// and at most 1. Timed from the call to its return, on the host's clock: the copies, the kernels, and
/// whatever the function allocates and gives back.
///
/// @param[out] out   host, pinned, float [n]; does not overlap @p in
/// @param[in]  in    host, pinned, float [n], finite
/// @param      n     samples, >= 0
/// @param      gain  > 0
/// @return cudaSuccess, or the launch error; when it returns the host may read @p out
/// @throws ladder::CudaError when an allocation, a copy or a synchronisation fails
/// @note Moves n * sizeof(float) bytes over the link each way, which carries both directions at the same
///       time. n = 0 launches nothing.
cudaError_t amplify(float* out, const float* in, std::int64_t n, float gain);
