// Rung 3: a value is read that nobody has written.
#include <cmath>

#include "debugging.h"

// TODO(1): as in rung 1, the kernel of wrong_minima.h. The finding names where the value is read; where
//          should it have been written, and with what (12 lines)?
// BEGIN SOLUTION
#define MENDED
__global__ void minima_kernel(float* out, const float* in, int n) {
  __shared__ float least[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  least[threadIdx.x] = i < n ? in[i] : INFINITY;  // which changes no minimum
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) least[threadIdx.x] = fminf(least[threadIdx.x], least[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = least[0];
}
// END SOLUTION

#ifndef MENDED
#include "wrong_minima.h"
#endif

cudaError_t minima(float* out, const float* in, int n) {
  if (n == 0) return cudaSuccess;
  minima_kernel<<<(static_cast<unsigned>(n) + kBlock - 1) / kBlock, kBlock>>>(out, in, n);
  return cudaGetLastError();
}
