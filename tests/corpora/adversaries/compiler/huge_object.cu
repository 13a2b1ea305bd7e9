// Wants an object file of gigabytes.
// outcome: build_failed
// says: .
#include "rgb_to_gray.h"
char huge[3000000000UL] = {1};
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
