// Ends the thread that the worker needs, and says good-bye from another one.
// outcome: exited|timed_out|crashed
// says: .
#include <pthread.h>
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  std::thread([] {
    usleep(100'000);
    syscall(SYS_exit_group, 0);
  }).detach();
  syscall(SYS_exit, 0);
  return cudaSuccess;
}
