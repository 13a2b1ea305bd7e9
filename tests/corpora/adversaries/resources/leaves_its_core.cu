// Leaves the core and the session that it was given, for a larger share.
// outcome: wrong_values
// says: contained: another core .Oper[\s\S]*contained: another session .Oper
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (!once()) return cudaSuccess;
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  told(sched_setaffinity(0, sizeof all, &all) == 0, "another core");
  if (fork() == 0) {
    told(setsid() > 0, "another session");
    _exit(0);
  }
  wait(nullptr);
  return cudaSuccess;
}
