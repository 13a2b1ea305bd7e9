// Rung 1's kernel, with a mistake.
#pragma once

/// A thread for each difference.
__global__ void differences_kernel(float* out, const float* in, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) out[i] = in[i + 1] - in[i];
}
