// Touches memory without end.
// outcome: out_of_memory
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  for (;;) std::memset(std::malloc(1 << 24), 1, 1 << 24);
}
