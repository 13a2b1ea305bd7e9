// Rung 1: a block a head: its scores in shared memory, their softmax, the weighted sum of the values.
#include <cstdint>

#include "decode_attention.h"

constexpr int kWarp = 32;
constexpr int kBlock = kDim;  // threads a block: in the end each has one element of the result
constexpr int kWarps = kBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// The sum over the 32 lanes of a warp, in every lane. All lanes take part.
__device__ float warp_sum(float value) {
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) value += __shfl_xor_sync(kAllLanes, value, lanes);
  return value;
}

__global__ void __launch_bounds__(kBlock)
    decode_kernel(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                  const int* lengths, int max_length) {
  extern __shared__ float score[];  // one for each key
  const int head = blockIdx.x, kv_head = head / kGroup, lane = threadIdx.x % kWarp;
  const int length = lengths[blockIdx.y];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + head;
  const std::int64_t cache =
      (static_cast<std::int64_t>(blockIdx.y) * (gridDim.x / kGroup) + kv_head) * max_length * kDim;
  const float scale = rsqrtf(static_cast<float>(kDim));
  // TODO(1): a warp a key, keys in turns: each lane multiplies kDim / kWarp elements that are kWarp apart,
  //          and lane 0 stores the scaled sum in `score` (9 lines).
  __syncthreads();  // all scores are there

  float most = -INFINITY, sum = 0, value = 0;
  // TODO(2): every thread goes through all scores: first for the largest, `most`; then it adds up
  //          exp(score - most), and with that weight its own element of the values (6 lines).
  o[row * kDim + threadIdx.x] = __float2bfloat16(length > 0 ? value / sum : 0.0f);
}

cudaError_t decode_attention(__nv_bfloat16* o, const Scratch&, const __nv_bfloat16* q, const __nv_bfloat16* k,
                             const __nv_bfloat16* v, const int* lengths, int sequences, int kv_heads,
                             int max_length) {
  if (sequences == 0 || kv_heads == 0) return cudaSuccess;
  const dim3 grid(kv_heads * kGroup, sequences);
  decode_kernel<<<grid, kBlock, max_length * sizeof(float)>>>(o, q, k, v, lengths, max_length);
  return cudaGetLastError();
}
