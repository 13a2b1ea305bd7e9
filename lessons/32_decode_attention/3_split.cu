// Rung 3: a sequence is split among blocks; a second kernel combines what they found.
#include <cstdint>

#include "team.h"

__global__ void __launch_bounds__(kBlock, 2)
    split_kernel(Scratch scratch, const uint4* q, const uint4* k, const uint4* v, const int* lengths,
                 int max_length) {
  const int length = lengths[blockIdx.z];
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  const std::int64_t place = group * gridDim.x + blockIdx.x;  // of this split in the scratch memory
  __shared__ float sums[kGroup][kDim];
  __shared__ Softmax softmax[kGroup];
  // TODO(1): split blockIdx.x has the keys from blockIdx.x * kSplit on, kSplit of them or fewer. A block that
  //          has none leaves; the others attend to them, combine, and store sums and softmax (11 lines).
}

/// A block a head: thread i has element i of the result.
__global__ void __launch_bounds__(kDim)
    combine_kernel(__nv_bfloat16* o, Scratch scratch, const int* lengths, int splits) {
  const int head = blockIdx.x, length = lengths[blockIdx.y];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + head;
  const std::int64_t first = row / kGroup * splits;  // the group's first split in the scratch memory
  float most = -INFINITY, sum = 0, value = 0;
  // TODO(2): only splits that hold a key have been stored: the largest of their maxima; then their sums and
  //          values, rescaled to it (9 lines).
  o[row * kDim + threadIdx.x] = __float2bfloat16(length > 0 ? value / sum : 0.0f);
}

cudaError_t decode_attention(__nv_bfloat16* o, const Scratch& scratch, const __nv_bfloat16* q,
                             const __nv_bfloat16* k, const __nv_bfloat16* v, const int* lengths,
                             int sequences, int kv_heads, int max_length) {
  if (sequences == 0 || kv_heads == 0) return cudaSuccess;
  // TODO(3): both launches: blocks for as many splits as the longest sequence may have (6 lines).
  return cudaGetLastError();
}
