// Stops the clocks of its own process, those that the kernel maps into it too, and then takes its time.
// outcome: timed_out
// says: no end after
#include <sys/auxv.h>
#include <sys/time.h>
#include <ctime>
#include "adversary.h"

extern "C" int clock_gettime(clockid_t, timespec* time) noexcept {
  *time = {};
  return 0;
}
extern "C" int gettimeofday(timeval* time, void*) noexcept {
  *time = {};
  return 0;
}
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  void* const vdso = reinterpret_cast<void*>(getauxval(AT_SYSINFO_EHDR));
  if (vdso != nullptr) munmap(vdso, 8192);
  for (volatile unsigned i = 0;; i = i + 1) {
  }
}
