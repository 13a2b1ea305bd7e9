// Makes files until the kernel's memory is full of their names.
// outcome: out_of_memory|timed_out
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  for (int i = 0;; ++i) {
    char name[64];
    std::snprintf(name, sizeof name, "/tmp/%d", i);
    const int fd = open(name, O_WRONLY | O_CREAT, 0600);
    if (fd < 0) break;
    close(fd);
  }
  for (;;) sleep(1000);
}
