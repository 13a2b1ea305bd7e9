// Sleeps while it is loaded.
// outcome: timed_out
// says: no end after
#include "adversary.h"

namespace {
__attribute__((constructor)) void sleep_on_load() {
  for (;;) sleep(10000);
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
