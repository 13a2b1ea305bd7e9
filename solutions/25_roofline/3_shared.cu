// Rung 3: the bandwidth of shared memory. Nothing but reads of it, all lanes in different banks.
#include "roofline.h"

constexpr int kBlock = 1024;

__global__ void __launch_bounds__(kBlock) sum_table_kernel(float* out, const float* table, int n, int steps) {
  // TODO(1): bring the table into shared memory twice, one behind the other, so that i % kTable + s needs no
  //          second division; and wait for it (4 lines).
  // BEGIN SOLUTION
  __shared__ float twice[2 * kTable];
  for (int i = threadIdx.x; i < 2 * kTable; i += kBlock) twice[i] = table[i % kTable];
  __syncthreads();  // all of it is there before anybody reads
  // END SOLUTION
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  // TODO(2): add up `steps` elements from i % kTable on, in a loop that is unrolled 16 times: what is left of
  //          counting and comparing then costs little (5 lines).
  // BEGIN SOLUTION
  const float* mine = twice + i % kTable;
  float sum = 0;
#pragma unroll 16
  for (int s = 0; s < steps; ++s) sum += mine[s];
  out[i] = sum;
  // END SOLUTION
}

cudaError_t sum_table(float* out, const float* table, int n, int steps) {
  if (n == 0) return cudaSuccess;
  sum_table_kernel<<<(static_cast<unsigned>(n) + kBlock - 1) / kBlock, kBlock>>>(out, table, n, steps);
  return cudaGetLastError();
}
