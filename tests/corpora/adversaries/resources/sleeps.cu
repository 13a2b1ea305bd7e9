// Sleeps through the call.
// outcome: timed_out
// says: no end after
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  sleep(10'000);
  return cudaSuccess;
}
