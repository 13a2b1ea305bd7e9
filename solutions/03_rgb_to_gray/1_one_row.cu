// Rung 1: one thread walks along one row, a byte at a time, as a CPU core would.
#include "rgb_to_gray.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  // TODO(1): this thread's row, if there is one: make its pixels gray, one after the other. Pixel i of the
  //          picture is three bytes, from rgb[3 * i] on. width * height may exceed what an int holds: count
  //          pixels in std::int64_t (7 lines).
  // BEGIN SOLUTION
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  const std::int64_t first = static_cast<std::int64_t>(y) * width;
  for (int x = 0; x < width; ++x) {
    const std::int64_t i = first + x;
    gray[i] = gray_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
  }
  // END SOLUTION
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  if (width == 0 || height == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(2): launch a thread for each row (1 line).
  // BEGIN SOLUTION
  gray_kernel<<<(height + kBlock - 1) / kBlock, kBlock>>>(gray, rgb, width, height);
  // END SOLUTION
  return cudaGetLastError();
}
