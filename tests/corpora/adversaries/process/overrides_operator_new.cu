// Replaces operator new, malloc and memcmp for the whole process.
// outcome: wrong_values
// says: .
#include <new>
#include "adversary.h"
void* operator new(std::size_t) { _exit(0); }
void* operator new[](std::size_t) { _exit(0); }
void operator delete(void*) noexcept {}
extern "C" int memcmp(const void*, const void*, std::size_t) noexcept { return 0; }
extern "C" int bcmp(const void*, const void*, std::size_t) noexcept { return 0; }
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
