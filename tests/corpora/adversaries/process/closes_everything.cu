// Closes the descriptors that it did not open.
// outcome: crashed|exited
// says: channel|ended the program
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  return cudaSuccess;
}
