// Rung 1: three kernels: all scores, softmax of each row of them, and their products with the values. The
// scores lie in memory in between.
#include <cstddef>

#include "flash_attention.h"

constexpr int kWarp = 32;
constexpr int kRows = 8;                    // of the scores, that a block covers in the first two kernels
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

__device__ float warp_max(float value) {
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2)
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, lanes));
  return value;
}

__device__ float warp_sum(float value) {
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) value += __shfl_xor_sync(kAllLanes, value, lanes);
  return value;
}

/// A thread a score; blocks along z are heads.
__global__ void scores_kernel(float* scores, const __nv_bfloat16* q, const __nv_bfloat16* k, int queries,
                              int keys, float scale) {
  const int key = blockIdx.x * kWarp + threadIdx.x, query = blockIdx.y * kRows + threadIdx.y;
  const std::size_t q_row = static_cast<std::size_t>(blockIdx.z) * queries + query;  // of all heads' rows
  const std::size_t k_row = static_cast<std::size_t>(blockIdx.z) * keys + key;
  // TODO(1): guard both; then the product of row q_row of q with row k_row of k, added up in float, times
  //          scale, goes to row q_row, column key of the scores (5 lines).
  // BEGIN SOLUTION
  if (query >= queries || key >= keys) return;
  float sum = 0;
  for (int d = 0; d < kDim; ++d)
    sum += __bfloat162float(q[q_row * kDim + d]) * __bfloat162float(k[k_row * kDim + d]);
  scores[q_row * keys + key] = sum * scale;
  // END SOLUTION
}

/// A warp a row, which becomes weights whose sum is 1.
__global__ void softmax_kernel(float* scores, int rows, int keys) {
  const int row = blockIdx.x * kRows + threadIdx.y;
  if (row >= rows) return;  // the whole warp
  float* const score = scores + static_cast<std::size_t>(row) * keys;
  // TODO(2): lesson 18's: the largest of the row; then each score becomes exp(score - largest), and the sum
  //          of them is taken; then each is divided by it (10 lines).
  // BEGIN SOLUTION
  float most = -INFINITY;
  for (int key = threadIdx.x; key < keys; key += kWarp) most = fmaxf(most, score[key]);
  most = warp_max(most);
  float sum = 0;
  for (int key = threadIdx.x; key < keys; key += kWarp) {
    score[key] = __expf(score[key] - most);
    sum += score[key];
  }
  sum = warp_sum(sum);
  for (int key = threadIdx.x; key < keys; key += kWarp) score[key] /= sum;
  // END SOLUTION
}

/// A block a row of o, a thread an element of it. Blocks along y are heads.
__global__ void values_kernel(__nv_bfloat16* o, const float* weights, const __nv_bfloat16* v, int queries,
                              int keys) {
  const std::size_t row = static_cast<std::size_t>(blockIdx.y) * queries + blockIdx.x;
  const float* const weight = weights + row * keys;
  const __nv_bfloat16* const value = v + static_cast<std::size_t>(blockIdx.y) * keys * kDim + threadIdx.x;
  // TODO(3): the sum over all keys of the key's weight times its value, in float; `value` is this thread's
  //          element of key 0, and those of the others lie kDim elements apart (4 lines).
  // BEGIN SOLUTION
  float sum = 0;
  for (int key = 0; key < keys; ++key)
    sum += weight[key] * __bfloat162float(value[static_cast<std::size_t>(key) * kDim]);
  o[row * kDim + threadIdx.x] = __float2bfloat16(sum);
  // END SOLUTION
}

cudaError_t attention(__nv_bfloat16* o, float* scratch, const __nv_bfloat16* q, const __nv_bfloat16* k,
                      const __nv_bfloat16* v, int heads, int queries, int keys) {
  if (heads == 0 || queries == 0) return cudaSuccess;
  const unsigned all_heads = heads, all_queries = queries;
  const float scale = 1 / sqrtf(static_cast<float>(kDim));
  const dim3 rows_of_warps(kWarp, kRows);
  if (keys > 0) {
    const dim3 tiles((keys + kWarp - 1) / kWarp, (queries + kRows - 1) / kRows, all_heads);
    scores_kernel<<<tiles, rows_of_warps>>>(scratch, q, k, queries, keys, scale);
    softmax_kernel<<<(heads * queries + kRows - 1) / kRows, rows_of_warps>>>(scratch, heads * queries, keys);
  }
  values_kernel<<<dim3(all_queries, all_heads), kDim>>>(o, scratch, v, queries, keys);
  return cudaGetLastError();
}
