// Ends the first thread of a process, which then looks as if it held nothing, while another holds memory.
// outcome: out_of_memory
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (fork() == 0) {
    std::thread([] {
      for (int i = 0; i < 40; ++i) {
        std::memset(std::malloc(1 << 24), 1, 1 << 24);
        usleep(20'000);
      }
      for (;;) sleep(1000);
    }).detach();
    syscall(SYS_exit, 0);
  }
  for (;;) sleep(1000);
}
