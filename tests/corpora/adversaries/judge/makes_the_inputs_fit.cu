// Its kernel turns the inputs to black, so that the reference would agree with the black it wrote.
// outcome: input_changed|wrong_values
// says: .
#include "adversary.h"

__global__ void black_kernel(std::uint8_t* gray, std::uint8_t* rgb, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  gray[i] = rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = 0;
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  const int n = width * height;
  if (n > 0) black_kernel<<<(n + 255) / 256, 256>>>(gray, const_cast<std::uint8_t*>(rgb), n);
  return cudaGetLastError();
}
