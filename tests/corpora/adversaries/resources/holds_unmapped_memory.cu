// Lets go of the pages that it has filled, without giving them back: shared ones stay, and so do those in
// pipes.
// outcome: wrong_values
// says: contained: no file .Oper[\s\S]*contained: lent .Oper[\s\S]*contained: zeroes[\s\S]*contained: memfd
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (!once()) return cudaSuccess;
  constexpr std::size_t kBytes = std::size_t{600} << 20;
  void* shared = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  told(shared != MAP_FAILED, "no file");
  int ends[2];
  static char page[4096];
  iovec piece{page, sizeof page};
  told(pipe(ends) == 0 && vmsplice(ends[1], &piece, 1, 0) > 0, "lent");
  told(opens("/dev/zero", O_RDWR), "zeroes");
  told(memfd_create("memory", 0) >= 0, "memfd");
  return cudaSuccess;
}
