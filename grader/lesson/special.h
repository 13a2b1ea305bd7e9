// Numbers that careless code breaks on, for contracts that allow them.
#pragma once

#include <array>
#include <bit>
#include <limits>

#include "grader/lesson/lesson.h"

namespace ladder {

/// Both zeros, both infinities, the smallest and the largest
/// of either sign: all that has its place in an order.
inline constexpr std::array<float, 12> kSpecialNumbers = {0.0f,
                                                          -0.0f,
                                                          std::numeric_limits<float>::infinity(),
                                                          -std::numeric_limits<float>::infinity(),
                                                          std::numeric_limits<float>::denorm_min(),
                                                          -std::numeric_limits<float>::denorm_min(),
                                                          0x1.fffffcp-127f,  // the largest subnormal one
                                                          -0x1.fffffcp-127f,
                                                          std::numeric_limits<float>::max(),
                                                          std::numeric_limits<float>::lowest(),
                                                          1.0f,
                                                          -1.0f};

/// NaNs that carry something, which a copy keeps and an operation does not.
inline constexpr std::array<float, 2> kSpecialNaNs = {std::bit_cast<float>(0x7fc12345u),
                                                      std::bit_cast<float>(0xffc00001u)};

/// Puts special numbers, and where @p with_nan NaNs, in place of half of the elements.
inline void scatter_special(std::span<float> out, Random& random, bool with_nan) {
  const std::uint64_t kinds = kSpecialNumbers.size() + (with_nan ? kSpecialNaNs.size() : 0);
  for (float& value : out) {
    const std::uint64_t bits = random.next(), kind = (bits >> 1) % kinds;
    if (bits % 2 == 0) continue;
    value =
        kind < kSpecialNumbers.size() ? kSpecialNumbers[kind] : kSpecialNaNs[kind - kSpecialNumbers.size()];
  }
}

}  // namespace ladder
