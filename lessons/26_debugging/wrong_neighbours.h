// Rung 2's kernel, with a mistake.
#pragma once

/// A block has kBlock elements in shared memory, and one beside them on either side.
__global__ void neighbours_kernel(int* out, const int* in, int n) {
  __shared__ int tile[kBlock + 2];
  const int i = blockIdx.x * kBlock + threadIdx.x, t = threadIdx.x + 1;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) {
    tile[0] = i > 0 ? in[i - 1] : 0;
    tile[kBlock + 1] = i + kBlock < n ? in[i + kBlock] : 0;
  }
  if (i < n) out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}
