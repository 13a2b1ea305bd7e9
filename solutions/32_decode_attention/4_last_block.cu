// Rung 4: one kernel: of a group's blocks the one that is done last combines what all have found.
#include <cstdint>

#include "team.h"

/// Counts a block of this group in.
/// @return for all threads of the block, whether it is the last of @p splits; then it may read what
///         the others have stored, and the counter is 0 again
__device__ bool is_last(unsigned* arrived, int splits) {
  __shared__ bool last;
  // TODO(1): every thread makes sure that what it stored is seen before what it does next, __threadfence();
  //          when all have done so, one of them counts, atomicAdd(). The last one leaves the counter at 0 for
  //          the next launch, and a second fence keeps what is read later behind the count. All threads
  //          learn `last` (8 lines).
  // BEGIN SOLUTION
  __threadfence();  // the block's part is in memory before its arrival is
  __syncthreads();  // of all threads
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1) == static_cast<unsigned>(splits) - 1;
    if (last) *arrived = 0;  // nobody else of this launch comes any more
    __threadfence();         // nothing that is read behind the barrier was fetched before the count
  }
  __syncthreads();  // `last` is known
  // END SOLUTION
  return last;
}

__global__ void __launch_bounds__(kBlock, 2)
    decode_kernel(__nv_bfloat16* o, Scratch scratch, const uint4* q, const uint4* k, const uint4* v,
                  const int* lengths, int max_length) {
  const int length = lengths[blockIdx.z], begin = static_cast<int>(blockIdx.x) * kSplit;
  const int used = (length + kSplit - 1) / kSplit;  // splits that hold a key
  // The first block stays where there is no key: somebody has to store zeros.
  if (begin >= length && begin > 0) return;
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  const std::int64_t cache = group * max_length * kTeam;
  const std::int64_t first = group * gridDim.x * kGroup;  // the group's part of the scratch memory, in heads
  __shared__ float sums[kGroup][kDim];
  __shared__ Softmax softmax[kGroup];
  combine(attend(q + group * kGroup * kTeam, k + cache, v + cache, begin, min(begin + kSplit, length)), sums,
          softmax);
  if (used > 1) {
    // TODO(2): the block's part goes to the scratch memory, as in rung 3; whoever is not last leaves
    //          (5 lines).
    // BEGIN SOLUTION
    const std::int64_t place = first + blockIdx.x * kGroup;
    for (int i = threadIdx.x; i < kGroup * kDim; i += kBlock)
      scratch.sums[place * kDim + i] = sums[i / kDim][i % kDim];
    if (threadIdx.x < kGroup) scratch.softmax[place + threadIdx.x] = softmax[threadIdx.x];
    if (!is_last(scratch.arrived + group, used)) return;
    // END SOLUTION
  }
  for (int i = threadIdx.x; i < kGroup * kDim; i += kBlock) {
    const int head = i / kDim;
    Softmax all = softmax[head];
    float value = sums[head][i % kDim];
    if (used > 1) {
      // TODO(3): rung 3's second kernel: `all` and `value` of all splits, also of this one (9 lines). By
      //          __ldcg(), which reads from the L2 cache, where the others' parts are; an L1 cache may hold
      //          what was there before.
      // BEGIN SOLUTION
      all = {-INFINITY, 0};
      value = 0;
      for (int split = 0; split < used; ++split)
        all.most = fmaxf(all.most, __ldcg(&scratch.softmax[first + split * kGroup + head].most));
      for (int split = 0; split < used; ++split) {
        const std::int64_t place = first + split * kGroup + head;
        const float factor = rescale(__ldcg(&scratch.softmax[place].most), all.most);
        all.sum += factor * __ldcg(&scratch.softmax[place].sum);
        value += factor * __ldcg(&scratch.sums[place * kDim + i % kDim]);
      }
      // END SOLUTION
    }
    o[group * kGroup * kDim + i] = __float2bfloat16(length > 0 ? value / all.sum : 0.0f);
  }
}

cudaError_t decode_attention(__nv_bfloat16* o, const Scratch& scratch, const __nv_bfloat16* q,
                             const __nv_bfloat16* k, const __nv_bfloat16* v, const int* lengths,
                             int sequences, int kv_heads, int max_length) {
  if (sequences == 0 || kv_heads == 0) return cudaSuccess;
  const int splits = (max_length + kSplit - 1) / kSplit;
  decode_kernel<<<dim3(splits, kv_heads, sequences), kBlock>>>(
      o, scratch, reinterpret_cast<const uint4*>(q), reinterpret_cast<const uint4*>(k),
      reinterpret_cast<const uint4*>(v), lengths, max_length);
  return cudaGetLastError();
}
