#include <cstdint>
#include <type_traits>

#include "grader/lesson/element.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

namespace ladder {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014) used as a hash of a counter: element i of a fill depends on the fill's
// key and i alone, so that threads can take any part of it.
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <class T>
struct Uniform {
  T low, high;
  T operator()(std::uint64_t bits) const {
    if constexpr (std::is_same_v<T, double>) {
      return low + (high - low) * (static_cast<double>(bits >> 11) * 0x1p-53);
    } else if constexpr (std::is_same_v<T, float>) {
      return low + (high - low) * (static_cast<float>(bits >> 40) * 0x1p-24F);
    } else if constexpr (std::is_integral_v<T>) {
      // Multiply-shift: the bias is below 2^-32 for types up to 32 bits and 2^-64 at most for 64.
      using Wide = unsigned __int128;
      const Wide count =
          static_cast<Wide>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)) + 1;
      return static_cast<T>(static_cast<std::uint64_t>(low) +
                            static_cast<std::uint64_t>((count * bits) >> 64));
    } else {
      const float l = static_cast<float>(low);
      const float h = static_cast<float>(high);
      return T(l + (h - l) * (static_cast<float>(bits >> 40) * 0x1p-24F));
    }
  }
};

}  // namespace

Random::Random(std::uint64_t seed) : state_(mix(seed + kGolden)) {}

std::uint64_t Random::next() {
  state_ += kGolden;
  return mix(state_);
}

template <class T>
void Random::uniform(std::span<T> out, std::type_identity_t<T> low, std::type_identity_t<T> high) {
  const std::uint64_t key = next();
  const Uniform<T> value{low, high};
  parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      out[static_cast<std::size_t>(i)] = value(mix(key + static_cast<std::uint64_t>(i) * kGolden));
  });
}

#define LADDER_INSTANTIATE(T) template void Random::uniform<T>(std::span<T>, T, T);
LADDER_INSTANTIATE(float)
LADDER_INSTANTIATE(double)
LADDER_INSTANTIATE(__half)
LADDER_INSTANTIATE(__nv_bfloat16)
LADDER_INSTANTIATE(std::int8_t)
LADDER_INSTANTIATE(std::uint8_t)
LADDER_INSTANTIATE(std::int16_t)
LADDER_INSTANTIATE(std::uint16_t)
LADDER_INSTANTIATE(std::int32_t)
LADDER_INSTANTIATE(std::uint32_t)
LADDER_INSTANTIATE(std::int64_t)
LADDER_INSTANTIATE(std::uint64_t)
#undef LADDER_INSTANTIATE

}  // namespace ladder
