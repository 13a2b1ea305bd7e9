// Leaves a thread that goes on writing into the memory it shares with the judge, long after its answer.
// outcome: wrong_values|wrote_outside|input_changed|out_of_memory
// says: .
#include "adversary.h"

namespace {
void write_for_ever() {
  for (unsigned char value = 0;; ++value)
    for (int fd = 5; fd < 64; ++fd) {
      struct stat facts {};
      if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0) continue;
      const auto size = static_cast<std::size_t>(facts.st_size);
      void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (at == MAP_FAILED) continue;
      for (int round = 0; round < 100; ++round) std::memset(at, value, size);
      munmap(at, size);
    }
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) std::thread(write_for_ever).detach();
  return cudaSuccess;
}
