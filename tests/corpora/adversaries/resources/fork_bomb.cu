// Forks without end.
// outcome: timed_out
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  for (;;) {
    fork();
  }
}
