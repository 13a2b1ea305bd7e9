// Throws an exception that has megabytes to say.
// outcome: launch_failed
// says: \(cut\)
#include <stdexcept>

#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  throw std::runtime_error("once upon a time " + std::string(4 << 20, 'x'));
}
