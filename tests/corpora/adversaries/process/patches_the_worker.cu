// Overwrites the machine code of the process it runs in: copies to the host and clocks do nothing any more.
// outcome: wrong_values|input_changed|wrote_outside
// says: .
#include "adversary.h"

namespace {
void end_at_once(void* function) {
#if defined(__x86_64__)
  constexpr unsigned char kReturnZero[] = {0x31, 0xc0, 0xc3};
#else
  constexpr unsigned char kReturnZero[] = {0, 0, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6};
#endif
  if (function == nullptr) return;
  const auto page = reinterpret_cast<std::uintptr_t>(function) & ~std::uintptr_t{4095};
  if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    std::memcpy(function, kReturnZero, sizeof kReturnZero);
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once())
    for (const char* name : {"cudaMemcpy", "cudaEventElapsedTime", "clock_gettime"})
      end_at_once(dlsym(RTLD_DEFAULT, name));
  return cudaSuccess;
}
