// Keeps as many cores busy as there are, wherever it may.
// outcome: timed_out
// says: no end after
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  for (int i = 0; i < 24; ++i)
    if (fork() == 0) {
      setsid();
      sched_setaffinity(0, sizeof all, &all);
      for (volatile std::uint64_t n = 0;;) n = n + 1;
    }
  for (volatile std::uint64_t n = 0;;) n = n + 1;
}
