// The contract of the lesson.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "half2.h"

/// Two ways to compute the share of the normal distribution that lies below x.
enum class Form {
  exact,  ///< (1 + erf(x / sqrt(2))) / 2
  tanh,   ///< (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2, which differs by less than 0.0005
};

/// The Gaussian error linear unit: `out[i] = in[i] * (share of the normal distribution below in[i])`.
///
/// @param[out] out   device, float [n]; starts at a multiple of 16 bytes; does not overlap @p in
/// @param[in]  in    device, float [n], finite; starts at a multiple of 16 bytes
/// @param      n     elements, >= 0, below 2^31
/// @param      form  which formula
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
/// @note Moves 2 * n * sizeof(float) bytes, about 8 * n flop. Results are within 2^-18 of the true value, or
///       within 2^-18 of its size if that is more; either zero will do.
/// @see  D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units", arXiv:1606.08415
cudaError_t gelu(float* out, const float* in, std::int64_t n, Form form);  // rungs 1 to 3

/// The same in half precision. Results are within 1/512 of the true value, or within 1/512 of its size if
/// that is more.
cudaError_t gelu(__half* out, const __half* in, std::int64_t n, Form form);  // rungs 4 to 6
