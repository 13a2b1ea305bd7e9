// Sets LD_PRELOAD and starts the worker's program again in its own place.
// outcome: crashed
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  setenv("LD_PRELOAD", "/tmp/evil.so", 1);
  const char* words[] = {"ladder-rung", "--worker", nullptr};
  execv("/proc/self/exe", const_cast<char**>(words));
  told(false, "starting the runner again");
  return cudaSuccess;
}
