// The contract of the blank page.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

constexpr int kCols = 256;  ///< elements of a row
constexpr int kSplit =
    512;  ///< rows of a sequence that one block takes, if it is done as the scratch memory allows

/// The largest of some scores, and the sum of exp(score - largest) over them.
struct Softmax {
  float most;
  float sum;
};

/// What blocks may leave for others, with splits = ceil(longest / kSplit).
struct Scratch {
  float* sums;        ///< device, [sequences][splits][kCols]
  Softmax* softmax;   ///< device, [sequences][splits]
  unsigned* arrived;  ///< device, [sequences]: 0 when the function is called, and left so
};

/// Attention pooling: of each sequence of rows one row, their mean by weights that the rows themselves give.
/// Sequence b has rows start[b], start[b] + 1, ... up to start[b + 1] - 1. With s[j] = x[j] . w and
/// p[j] = exp(s[j]) over the sum of all exp(s[j]) of the sequence, `out[b] = p[...] * x[...] + ...` over its
/// rows. A sequence of no rows becomes 0.
///
/// @param[out]    out        device, float [sequences][kCols]
/// @param[in,out] scratch    memory for whatever goes from block to block
/// @param[in]     x          device, bf16 [start[sequences]][kCols], row-major
/// @param[in]     w          device, float [kCols]
/// @param[in]     start      device, int [sequences + 1], ascending, the first is 0
/// @param         sequences  0 to 65535
/// @param         longest    no sequence has more rows; >= 1
/// @return cudaSuccess, or the launch error; where sequences is 0, nothing is launched
/// @note Arrays start at multiples of 16 bytes, have less than 2^31 elements and do not overlap; inputs are
///       finite, and no score is larger than 1000 in size. Reads 2 * kCols bytes for each row. Sums are kept
///       in single precision.
cudaError_t attention_pool(float* out, const Scratch& scratch, const __nv_bfloat16* x, const float* w,
                           const int* start, int sequences, int longest);
