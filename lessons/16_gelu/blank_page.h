// The contract of the blank page.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

/// SwiGLU, the gated unit of many language models: `out[i] = gate[i] / (1 + exp(-gate[i])) * up[i]`.
///
/// @param[out] out   device, half [n]; starts at a multiple of 16 bytes; overlaps no input
/// @param[in]  gate  device, half [n], finite; starts at a multiple of 16 bytes
/// @param[in]  up    device, half [n], from -2 to 2; starts at a multiple of 16 bytes
/// @param      n     elements, >= 0, below 2^31
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
/// @note Moves 3 * n * sizeof(__half) bytes, about 6 * n flop. Every result fits into a half. It is within
///       1/128 of the true value, or within 1/512 of its size if that is more; either zero will do.
/// @see  N. Shazeer, "GLU Variants Improve Transformer", arXiv:2002.05202
cudaError_t swiglu(__half* out, const __half* gate, const __half* up, std::int64_t n);
