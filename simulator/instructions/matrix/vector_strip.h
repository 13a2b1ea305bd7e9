// Numbers side by side in a vector register of this machine.
#pragma once

namespace sim::exec {

/// What a vector register of this machine holds.
#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

/// gcc and clang both compute with these side by side.
template <class T, int kWidth>
struct Strip {
  typedef T type [[gnu::vector_size(kWidth * sizeof(T))]];
};

}  // namespace sim::exec
