// Attaches to its parent as a debugger.
// outcome: wrong_values
// says: contained: attaching to the parent .Operation not permitted
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    for (const pid_t process : {getppid(), 1, 2})
      told(ptrace(PTRACE_ATTACH, process, nullptr, nullptr) == 0, "attaching to the parent");
  }
  return cudaSuccess;
}
