// Launches that cannot be.
#include <cooperative_groups.h>

#include "../case.h"

__global__ void fill(int* out) { out[0] = 1; }

__global__ void with_dynamic_memory(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[threadIdx.x];
}

__global__ void __launch_bounds__(128) for_small_blocks(int* out) { out[threadIdx.x] = 1; }

__global__ void meets_the_grid(int* out) {
  cooperative_groups::this_grid().sync();
  out[0] = 1;
}

// expect: launch
// wrong: a block has at most 1024 threads.
// cure:  more blocks, of 256 threads each.
CASE(block_too_large) {
  Buffer<int> out(1);
  fill<<<1, 2048>>>(out);  // <- launch
  finish();
}

// expect: launch
// wrong: for n == 0 the rounded-up division gives no block at all.
// cure:  do not launch when there is nothing to do.
CASE(empty_grid) {
  Buffer<int> out(1);
  const int n = 0;
  fill<<<(n + 255) / 256, 256>>>(out);  // <- launch
  finish();
}

// expect: launch
// wrong: 1024 threads in x and 2 in y are 2048 threads.
// cure:  the product of the three must not exceed 1024.
CASE(block_too_large_in_two_dimensions) {
  Buffer<int> out(1);
  fill<<<1, dim3(1024, 2)>>>(out);  // <- launch
  finish();
}

// expect: launch
// wrong: the grid's y extent ends at 65535.
// cure:  put the long extent into x.
CASE(grid_too_high) {
  Buffer<int> out(1);
  fill<<<dim3(1, 70000), 1>>>(out);  // <- launch
  finish();
}

// expect: launch
// wrong: more than 48 KiB of dynamic shared memory must be asked for beforehand.
// cure:  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).
CASE(shared_memory_not_asked_for) {
  Buffer<int> out(32);
  with_dynamic_memory<<<1, 32, 64 * 1024>>>(out);  // <- launch
  finish();
}

// expect: launch
// wrong: no block of any GPU has a mebibyte of shared memory.
// cure:  a smaller tile.
CASE(more_shared_memory_than_there_is) {
  Buffer<int> out(32);
  with_dynamic_memory<<<1, 32, 1024 * 1024>>>(out);  // <- launch
  finish();
}

// expect: launch
// wrong: the kernel was compiled for at most 128 threads.
// cure:  launch 128, or raise the bound.
CASE(beyond_the_launch_bounds) {
  Buffer<int> out(512);
  for_small_blocks<<<1, 512>>>(out);  // <- launch
  finish();
}

// expect: launch
// wrong: a cooperative grid must fit on the GPU all at once.
// cure:  cudaOccupancyMaxActiveBlocksPerMultiprocessor() times the number of multiprocessors.
CASE(cooperative_grid_too_large) {
  Buffer<int> out(1);
  int* data = out;
  void* args[] = {&data};
  cudaLaunchCooperativeKernel((const void*)meets_the_grid, dim3(100000), dim3(256), args, 0, 0);  // <- launch
  finish();
}

// expect: launch
// wrong: the launch fails, nobody asks, and the program goes on with results that were never computed.
// cure:  cudaGetLastError() after each launch.
CASE(error_not_checked) {
  Buffer<int> out(1);
  fill<<<1, 1025>>>(out);  // <- launch
  const int first = out.host()[0];
  std::printf("%d\n", first);
}
