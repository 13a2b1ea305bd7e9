// Mistakes in the use of the toolkit's own building blocks.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "../case.h"

// expect: race shared
// wrong: the second sum is worked out in memory that others still read the first one from
// cure:  __syncthreads() between the two
__global__ void sum_and_squares(int* out, const int* in) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage temp;
  const int v = in[threadIdx.x];
  const int sum = Reduce(temp).Sum(v);          // <- race
  const int squares = Reduce(temp).Sum(v * v);  // <- race
  if (threadIdx.x == 0) out[0] = sum, out[1] = squares;
}
CASE(block_reduce_used_twice) {
  Buffer<int> out(2), in(128, 0, 1);
  sum_and_squares<<<1, 128>>>(out, in);
  finish();
}

// expect: uninitialized local
// wrong: only the first thread gets the block's sum, and all store it
// cure:  the first thread puts it into shared memory, and a barrier before the others read it
__global__ void share_of_the_sum(float* out, const float* in) {
  __shared__ float total;
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage temp;
  float sum;
  const float mine = in[threadIdx.x];
  const float all = Reduce(temp).Sum(mine);
  if (threadIdx.x == 0) sum = total = all;
  __syncthreads();
  out[threadIdx.x] = mine / sum;  // <- uninitialized
}
CASE(sum_known_to_one_thread) {
  Buffer<float> out(64), in(64, 1);
  share_of_the_sum<<<1, 64>>>(out, in);
  finish();
}
