// A kernel without end.
// outcome: timed_out
// says: .
#include "adversary.h"

__global__ void spin(volatile std::uint8_t* gray) {
  while (gray[0] != 1) gray[0] = 2;
}
cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t*, int width, int height) {
  if (width * height > 0) spin<<<1, 32>>>(gray);
  return cudaGetLastError();
}
