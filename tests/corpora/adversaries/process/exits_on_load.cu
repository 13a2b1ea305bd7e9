// Ends the program with status 0 while it is loaded.
// outcome: exited
// says: exit status 0
#include "adversary.h"

namespace {
__attribute__((constructor)) void leave() { _exit(0); }
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
