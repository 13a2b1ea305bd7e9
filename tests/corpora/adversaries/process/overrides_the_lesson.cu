// Brings a lesson of its own, without cases, under the name that the runner looks for.
// outcome: wrong_values
// says: .
#include "adversary.h"

extern "C" void* ladder_make_lesson() { _exit(0); }
extern "C" void* dlopen(const char*, int) noexcept { _exit(0); }
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
