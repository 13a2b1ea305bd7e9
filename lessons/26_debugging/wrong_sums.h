// Rung 4's kernel, with a mistake.
#pragma once

/// Halves the number of summands until one is left.
__global__ void sums_kernel(int* out, const int* in, int n) {
  __shared__ int sum[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  sum[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sum[threadIdx.x] += sum[threadIdx.x + half];
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum[0];
}
