// Leaves a process of its own session behind and goes on.
// outcome: wrong_values
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once() && fork() == 0) {
    setsid();
    if (fork() == 0) {
      prctl(PR_SET_NAME, "ladder-escapee");
      for (const int number : {SIGTERM, SIGHUP, SIGINT}) signal(number, SIG_IGN);
      for (;;) sleep(1000);
    }
    _exit(0);
  }
  return cudaSuccess;
}
