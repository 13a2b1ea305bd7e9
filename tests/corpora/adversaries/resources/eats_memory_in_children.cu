// Lets its children hold the memory.
// outcome: out_of_memory
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  for (int child = 0; child < 16; ++child)
    if (fork() == 0) {
      for (int i = 0; i < 8; ++i) std::memset(std::malloc(1 << 24), 1, 1 << 24);
      for (;;) sleep(1000);
    }
  for (;;) sleep(1000);
}
