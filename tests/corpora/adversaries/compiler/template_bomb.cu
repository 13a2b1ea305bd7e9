// Instantiates templates without end.
// outcome: build_failed
// says: .
#include "rgb_to_gray.h"
template <int N, int Path>
struct Bomb {
  static constexpr long value = Bomb<N - 1, 2 * Path>::value + Bomb<N - 1, 2 * Path + 1>::value;
};
template <int Path>
struct Bomb<0, Path> {
  static constexpr long value = Path;
};
static_assert(Bomb<28, 1>::value != 0);
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
