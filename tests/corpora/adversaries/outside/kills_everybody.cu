// Kills its parent, the judge, and everything else it may.
// outcome: wrong_values
// says: contained: killing
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    kill(getppid(), SIGKILL);
    kill(getppid(), SIGSTOP);
    for (pid_t process = 1; process < 70000; ++process)
      if (process != getpid()) kill(process, SIGKILL);
    kill(-1, SIGKILL);
    told(false, "killing");
  }
  return cudaSuccess;
}
