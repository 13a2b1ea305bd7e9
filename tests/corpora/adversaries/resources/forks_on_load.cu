// Forks without end while it is loaded, each child in a session of its own.
// outcome: timed_out|out_of_memory|exited|crashed
// says: .
#include "adversary.h"

namespace {
__attribute__((constructor(101))) void multiply() {
  for (;;) {
    if (fork() == 0) setsid();
  }
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
