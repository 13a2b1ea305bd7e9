// Starts all the processes that it may, and lets them sleep.
// outcome: timed_out
// says: no end after
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  for (int i = 0; i < 1000; ++i) {
    const pid_t child = fork();
    if (child < 0) break;
    if (child == 0)
      for (;;) sleep(1000);
  }
  for (;;) sleep(1000);
}
