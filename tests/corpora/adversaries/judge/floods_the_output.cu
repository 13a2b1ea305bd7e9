// Prints without end.
// outcome: timed_out
// says: no end after
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  static char block[1 << 16];
  std::memset(block, 'x', sizeof block);
  for (;;) (void)!write(1, block, sizeof block);
}
