// Rung 6: the pairs are sorted on the device, in one launch and without an atomic: a block for each expert
// reads all choices twice. First it counts those that come before its own, then it collects its own, in
// order.
#include "grouped_matmul.h"

constexpr int kWarp = 32;
constexpr int kBlock = 1024;  // threads, and pairs that a block looks at together
constexpr int kWarps = kBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;

/// The sum over the block, to all threads.
__device__ int block_sum(int value, int (&of_warp)[kWarps]) {
  value = __reduce_add_sync(kAllLanes, value);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();  // the warps' sums are there
  const int sum = __reduce_add_sync(kAllLanes, of_warp[threadIdx.x % kWarp]);
  __syncthreads();  // and have been read: the array may be used again
  return sum;
}

__global__ void __launch_bounds__(kBlock) sort_kernel(int* start, int* pair, const int* choice, int pairs) {
  __shared__ int of_warp[kWarps];
  const int expert = blockIdx.x, lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  int next = 0;  // where the expert's next pair goes
  // TODO(1): where this expert's pairs begin: how many of all pairs choose an expert before it (4 lines)?
  // BEGIN SOLUTION
  int before = 0;
  for (int i = threadIdx.x; i < pairs; i += kBlock) before += choice[i] < expert;
  next = block_sum(before, of_warp);
  // END SOLUTION
  if (threadIdx.x == 0) start[expert] = next;
  for (int i0 = 0; i0 < pairs; i0 += kBlock) {
    const int i = i0 + static_cast<int>(threadIdx.x);
    const bool own = i < pairs && choice[i] == expert;
    // TODO(2): whoever has one of the expert's pairs stores it behind those of the threads before: of lower
    //          lanes, and of lower warps. `next` is where the first of the block's goes (12 lines).
    // BEGIN SOLUTION
    const unsigned mask = __ballot_sync(kAllLanes, own);
    if (lane == 0) of_warp[warp] = __popc(mask);
    __syncthreads();  // the warps' counts are there
    const int count = of_warp[lane];
    const int all = __reduce_add_sync(kAllLanes, count);
    const int earlier = __reduce_add_sync(kAllLanes, lane < warp ? count : 0);
    if (own) pair[next + earlier + __popc(mask & ((1u << lane) - 1))] = i;
    next += all;
    __syncthreads();  // and have been read
    // END SOLUTION
  }
  if (expert == gridDim.x - 1 && threadIdx.x == 0) start[expert + 1] = next;
}

cudaError_t sort_by_expert(int* start, int* pair, const int* choice, int experts, int pairs) {
  // TODO(3): the launch (1 line).
  // BEGIN SOLUTION
  sort_kernel<<<experts, kBlock>>>(start, pair, choice, pairs);
  // END SOLUTION
  return cudaGetLastError();
}
