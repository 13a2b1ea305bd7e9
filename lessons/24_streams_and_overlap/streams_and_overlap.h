// The contract of the lesson: springs whose state travels to the GPU, is worked on there, and comes back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kStreams = 3;  ///< streams that a rung may keep in Springs
constexpr int kBuffers = 3;  ///< chunks of device memory that rung 7 makes do with

/// Springs to be followed, and whatever a rung keeps beside them.
struct Springs {
  std::int64_t n = 0;  ///< springs, >= 0

  float* in = nullptr;   ///< [n] how far each is stretched, -1 to 1; the host writes it before springs_run()
  float* out = nullptr;  ///< [n] the same at the end; the host reads it after springs_run()

  float* d_in = nullptr;  ///< device memory, as much as the rung needs
  float* d_out = nullptr;
  cudaStream_t streams[kStreams] = {};  ///< from rung 3 on
  cudaEvent_t arrived[kBuffers] = {};   ///< from rung 6 on: a chunk has been copied in
  cudaEvent_t computed[kBuffers] = {};  ///< it has been computed
  cudaEvent_t left[kBuffers] = {};      ///< from rung 7 on: its result has been copied out
  cudaEvent_t join[kStreams] = {};      ///< for rung 8
  cudaGraphExec_t graph = nullptr;      ///< likewise
};

/// Allocates what the rung needs, and prepares what can be prepared before the data are there. Not timed.
///
/// @param[out] s  its pointers are set; `s.in` and `s.out` can be used by the host
/// @param      n  springs, >= 0; for 0 the pointers may be null
/// @return cudaSuccess
/// @throws ladder::CudaError when an allocation fails
cudaError_t springs_allocate(Springs& s, std::int64_t n);

/// Follows every spring on the GPU for kSteps steps (see spring.h). Timed from the call to its return.
///
/// @param s  as springs_allocate(), or an earlier run, left it, with `in` filled in by the host, which
///           stays as it is
/// @return cudaSuccess, or the launch error; when it returns the host may read `s.out`
/// @throws ladder::CudaError when a copy or a synchronisation fails
/// @note Moves n * sizeof(float) bytes each way over the link, 7 * kSteps * n flop. n = 0 launches nothing.
cudaError_t springs_run(Springs& s);

/// Frees what springs_allocate() allocated. Not timed.
///
/// @param s  its pointers are null afterwards
/// @return cudaSuccess
/// @throws ladder::CudaError when something can't be freed
cudaError_t springs_free(Springs& s);
