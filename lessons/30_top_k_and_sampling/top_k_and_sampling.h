// The contract of the lesson: two functions, of which a rung defines one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kMostK = 64;      ///< the most elements of a row that are asked for
constexpr int kMostSplits = 8;  ///< the most blocks that a row is divided among

/// An element as 64 bits, so that one comparison decides by value, and among equal values by the smaller
/// index. In the upper half lie the float's bits, turned so that they compare like the floats; in the lower
/// half the index, with all bits inverted. No element of a row has the same entry as another, and none has 0.
using Entry = unsigned long long;

/// How many entries `scratch` has: one for each row, and what its blocks may leave.
constexpr std::int64_t scratch_elements(int rows) {
  return static_cast<std::int64_t>(rows) * (1 + kMostSplits * kMostK);
}

/// The k largest elements of each row, in descending order, and where they are. Of equal elements the one
/// with the smaller index comes first: the result is unique. -0 and 0 are equal.
///
/// @param[out] values   device, float [rows][k], row-major
/// @param[out] indices  device, int [rows][k]: `values[r][i] == in[r][indices[r][i]]`
/// @param[in]  in       device, float [rows][cols], row-major; at a multiple of 16 bytes. Infinities are
///                      allowed, NaN is not: it has no place in an order
/// @param      rows     >= 0; rows * cols may exceed 2^31
/// @param      cols     >= k, a multiple of 4: every row starts at a multiple of 16 bytes
/// @param      k        1 to kMostK
/// @param      scratch  device, Entry [scratch_elements(rows)]; the first @p rows are 0 before and have to be
///                      0 after, the others are undefined
/// @return cudaSuccess, or the launch error; no rows launch nothing
/// @note Reads rows * cols * 4 bytes. What is written is little.
cudaError_t top_k(float* values, int* indices, const float* in, int rows, int cols, int k,
                  Entry* scratch);  // rungs 1 to 4

/// A token for each row of logits, drawn from the most likely ones. e[0] to e[k - 1] are the row's k largest
/// elements in the order above. Their weights are w[i] = exp((e[i] - e[0]) / temperature), and 1 for what
/// equals e[0]: infinities, too. The nucleus is the first m of them with
/// w[0] + ... + w[m - 1] >= top_p * (w[0] + ... + w[k - 1]). The token is the column of the first e[j] with
/// w[0] + ... + w[j] > uniform * (w[0] + ... + w[m - 1]), its probability w[j] over the sum of the nucleus.
///
/// @param[out] tokens         device, int [rows]
/// @param[out] probabilities  device, float [rows], right to 2^-13 of its size
/// @param[in]  in             device, float [rows][cols], as above
/// @param[in]  temperature    device, float [rows], > 0
/// @param[in]  top_p          device, float [rows], above 0 and up to 1
/// @param[in]  uniform        device, float [rows], from 0 to below 1: whoever calls has drawn it
/// @note The other parameters are those of top_k. `top_p` and `uniform` are never so near to where another
///       token would be right that single precision could not tell.
/// @see  A. Holtzman et al., "The Curious Case of Neural Text Degeneration", arXiv:1904.09751
cudaError_t sample(int* tokens, float* probabilities, const float* in, const float* temperature,
                   const float* top_p, const float* uniform, int rows, int cols, int k,
                   Entry* scratch);  // rung 5
