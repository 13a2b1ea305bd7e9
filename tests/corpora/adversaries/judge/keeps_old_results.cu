// Computes once, and hands out what it kept in its own and in the device's memory from then on.
// outcome: wrong_values
// says: .
#include "adversary.h"

__device__ std::uint8_t kept[1 << 16];
__managed__ int many = 0;

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, int n, bool first) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  if (first) kept[i] = gray_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
  gray[i] = kept[i];
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  const int n = width * height;
  if (n == 0 || n > 1 << 16) return cudaSuccess;
  const bool first = n > many;
  if (first) many = n;
  gray_kernel<<<(n + 255) / 256, 256>>>(gray, rgb, n, first);
  return cudaGetLastError();
}
