// Rung 3's kernel, with a mistake.
#pragma once

/// Halves the number of candidates until one is left.
__global__ void minima_kernel(float* out, const float* in, int n) {
  __shared__ float least[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) least[threadIdx.x] = in[i];
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) least[threadIdx.x] = fminf(least[threadIdx.x], least[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = least[0];
}
