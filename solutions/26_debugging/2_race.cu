// Rung 2: two threads at one place, one of which writes, and nothing orders them.
#include "debugging.h"

// TODO(1): as in rung 1, the kernel of wrong_neighbours.h: which two lines are named, and what belongs
//          between them (12 lines)?
// BEGIN SOLUTION
#define MENDED
__global__ void neighbours_kernel(int* out, const int* in, int n) {
  __shared__ int tile[kBlock + 2];
  const int i = blockIdx.x * kBlock + threadIdx.x, t = threadIdx.x + 1;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) {
    tile[0] = i > 0 ? in[i - 1] : 0;
    tile[kBlock + 1] = i + kBlock < n ? in[i + kBlock] : 0;
  }
  __syncthreads();  // the tile is there before anybody reads what others have stored
  if (i < n) out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}
// END SOLUTION

#ifndef MENDED
#include "wrong_neighbours.h"
#endif

cudaError_t neighbours(int* out, const int* in, int n) {
  if (n == 0) return cudaSuccess;
  neighbours_kernel<<<(static_cast<unsigned>(n) + kBlock - 1) / kBlock, kBlock>>>(out, in, n);
  return cudaGetLastError();
}
