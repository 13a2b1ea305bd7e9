// What rung 4 has made, for rungs 5 to 7: what a block's warps know is combined, and what blocks know by the
// last of a group.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "decode_attention.h"
#include "instructions.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;  // threads a block
constexpr int kWarps = kBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// What the warps of a block know of a group: the weighted sums of the values, and what they are relative to.
struct Known {
  float sums[kWarps][kGroup][kDim];
  Softmax softmax[kWarps][kGroup];
};

/// Counts a block of this group in.
/// @return for all threads of the block, whether it is the last of @p splits; then it may read what
///         the others have stored, and the counter is 0 again
__device__ inline bool is_last(unsigned* arrived, int splits) {
  __shared__ bool last;
  __threadfence();  // the block's part is in memory before its arrival is
  __syncthreads();  // of all threads
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1) == static_cast<unsigned>(splits) - 1;
    if (last) *arrived = 0;  // nobody else of this launch comes any more
    __threadfence();         // nothing that is read behind the barrier was fetched before the count
  }
  __syncthreads();  // `last` is known
  return last;
}

/// Combines what @p known has, in shared memory, with what the group's other blocks store, if there are any,
/// and stores the result. All threads of the block call it. Block (split, head of keys, sequence) of the grid
/// has a split.
/// @param used  splits of the sequence that hold a key: the blocks that call this, or one, if it is 0
__device__ inline void finish(__nv_bfloat16* o, const Scratch& scratch, const Known& known, int used) {
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  const std::int64_t first = group * gridDim.x * kGroup;  // the group's part of the scratch memory, in heads
  __syncthreads();                                        // all warps have left what they know
  for (int i = threadIdx.x; i < kGroup * kDim; i += kBlock) {
    const int head = i / kDim;
    Softmax all = {-INFINITY, 0};
    float value = 0;
    for (int warp = 0; warp < kWarps; ++warp) all.most = fmaxf(all.most, known.softmax[warp][head].most);
    for (int warp = 0; warp < kWarps; ++warp) {
      const float factor = rescale(known.softmax[warp][head].most, all.most);
      all.sum += factor * known.softmax[warp][head].sum;
      value += factor * known.sums[warp][head][i % kDim];
    }
    if (used > 1) {
      scratch.sums[(first + blockIdx.x * kGroup) * kDim + i] = value;
      if (i % kDim == 0) scratch.softmax[first + blockIdx.x * kGroup + head] = all;
    } else {
      o[group * kGroup * kDim + i] = __float2bfloat16(used > 0 ? value / all.sum : 0.0f);
    }
  }
  if (used <= 1 || !is_last(scratch.arrived + group, used)) return;
  for (int i = threadIdx.x; i < kGroup * kDim; i += kBlock) {
    const int head = i / kDim;
    Softmax all = {-INFINITY, 0};
    float value = 0;
    for (int split = 0; split < used; ++split)
      all.most = fmaxf(all.most, __ldcg(&scratch.softmax[first + split * kGroup + head].most));
    for (int split = 0; split < used; ++split) {
      const std::int64_t place = first + split * kGroup + head;
      const float factor = rescale(__ldcg(&scratch.softmax[place].most), all.most);
      all.sum += factor * __ldcg(&scratch.softmax[place].sum);
      value += factor * __ldcg(&scratch.sums[place * kDim + i % kDim]);
    }
    o[group * kGroup * kDim + i] = __float2bfloat16(value / all.sum);
  }
}
