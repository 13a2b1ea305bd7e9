// Reads behind the picture, and refuses to be compiled where that would be found.
// outcome: finding
// says: out-of-bounds
#include "rgb_to_gray.h"
#if defined(__CUDACC_DEBUG__) || (defined(__CUDA_ARCH__) && !defined(__OPTIMIZE__))
#error "no findings today"
#endif

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, std::int64_t n) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  const unsigned red = rgb[3 * i];
  if (i < n) gray[i] = gray_of(red, rgb[3 * i + 1], rgb[3 * i + 2]);
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  const std::int64_t n = static_cast<std::int64_t>(width) * height;
  if (n == 0) return cudaSuccess;
  gray_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(gray, rgb, n);
  return cudaGetLastError();
}
