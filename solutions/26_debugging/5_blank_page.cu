// Blank page: where two arrays differ first.
#include "blank_page.h"

// TODO(1): first_difference(), whose contract is in blank_page.h: kernels, launches and all else. Where many
//          elements differ, not every one of them should ask for the same place in memory.
// BEGIN SOLUTION
constexpr int kBlock = 256;

__global__ void begin_kernel(int* at, int n) { *at = n; }

__global__ void __launch_bounds__(kBlock)
    first_difference_kernel(int* at, const float* a, const float* b, int n, float tolerance) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = n;
  __syncthreads();  // nobody compares with what was there before
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) {
    const float x = a[i], y = b[i];
    const bool nan_x = x != x, nan_y = y != y;
    // Not "differ by more than": that is false wherever there is a NaN. Infinities of one sign differ by NaN.
    const bool alike = nan_x || nan_y ? nan_x && nan_y : x == y || fabsf(x - y) <= tolerance;
    if (!alike) atomicMin(&of_block, i);
  }
  __syncthreads();  // all have compared
  if (threadIdx.x == 0 && of_block < n) atomicMin(at, of_block);
}

cudaError_t first_difference(int* at, const float* a, const float* b, int n, float tolerance) {
  begin_kernel<<<1, 1>>>(at, n);
  if (n > 0) {
    const unsigned blocks = (static_cast<unsigned>(n) + kBlock - 1) / kBlock;
    first_difference_kernel<<<blocks, kBlock>>>(at, a, b, n, tolerance);
  }
  return cudaGetLastError();
}
// END SOLUTION
