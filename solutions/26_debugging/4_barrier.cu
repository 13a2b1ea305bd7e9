// Rung 4: a barrier that not all threads of the block come to.
#include "debugging.h"

// TODO(1): as in rung 1, the kernel of wrong_sums.h. Which threads come to the barrier, and which does it
//          wait for (12 lines)?
// BEGIN SOLUTION
#define MENDED
__global__ void sums_kernel(int* out, const int* in, int n) {
  __shared__ int sum[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  sum[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sum[threadIdx.x] += sum[threadIdx.x + half];
    __syncthreads();  // outside of the branch: of the block, not of those that add
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum[0];
}
// END SOLUTION

#ifndef MENDED
#include "wrong_sums.h"
#endif

cudaError_t sums(int* out, const int* in, int n) {
  if (n == 0) return cudaSuccess;
  sums_kernel<<<(static_cast<unsigned>(n) + kBlock - 1) / kBlock, kBlock>>>(out, in, n);
  return cudaGetLastError();
}
