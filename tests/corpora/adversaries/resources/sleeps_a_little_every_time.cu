// Is right, and wastes two seconds in every call: below its limit, above the rung's.
// outcome: timed_out
// says: no end after
#include "adversary.h"

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, std::int64_t n) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) gray[i] = gray_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  sleep(2);
  const std::int64_t n = std::int64_t{width} * height;
  if (n > 0) gray_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(gray, rgb, n);
  return cudaGetLastError();
}
