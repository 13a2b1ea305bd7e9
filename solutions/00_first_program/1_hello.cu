// Rung 1: a kernel that says hello, from every thread.
#include <cstdio>

#include "first_program.h"

/// The number of a thread in the whole grid, from 0 on. The host and the device can call it.
__host__ __device__ int number_of(int block, int thread, int threads) { return block * threads + thread; }

/// Only the device can call it. A kernel's printf() has the format of C; its text is printed by the host.
__device__ void greet(int number) {
  printf("hello from thread %d of block %d, number %d\n", threadIdx.x, blockIdx.x, number);
}

// TODO(1): write the kernel: a function hello_kernel that returns nothing, runs on the device and is
//          launched by the host. It takes the pointer `seen` and whether it shall print. Each thread
//          computes its number from blockIdx.x, threadIdx.x and blockDim.x, greets if it shall, and writes
//          the number to its place (5 lines).
// BEGIN SOLUTION
__global__ void hello_kernel(int* seen, bool print) {
  const int number = number_of(blockIdx.x, threadIdx.x, blockDim.x);
  if (print) greet(number);
  seen[number] = number;
}
// END SOLUTION

cudaError_t hello(int* seen, int blocks, int threads) {
  const int last = number_of(blocks - 1, threads - 1, threads);  // the same function, here on the host
  const bool print = last < kMostLines;
  if (print) printf("the host expects numbers up to %d\n", last);
  cudaError_t error = cudaErrorNotSupported;
  // TODO(2): launch hello_kernel with so many blocks of so many threads. Put the error into `error` if the
  //          launch was refused, which cudaGetLastError() knows; if it was not, wait until all threads have
  //          ended, by cudaDeviceSynchronize(), and put there what that returns (3 lines).
  // BEGIN SOLUTION
  hello_kernel<<<blocks, threads>>>(seen, print);
  error = cudaGetLastError();                                 // a launch returns nothing by itself
  if (error == cudaSuccess) error = cudaDeviceSynchronize();  // what the kernel has printed appears by then
  // END SOLUTION
  return error;
}
