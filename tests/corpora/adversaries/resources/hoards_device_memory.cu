// Takes the whole device before the grader can, so that no case finds room.
// outcome: out_of_memory
// says: no room
#include "adversary.h"

namespace {
__attribute__((constructor)) void take_all() {
  void* piece = nullptr;
  for (std::size_t bytes = std::size_t{1} << 40; bytes >= 256; bytes /= 2)
    while (cudaMalloc(&piece, bytes) == cudaSuccess) {
    }
  (void)cudaGetLastError();
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
