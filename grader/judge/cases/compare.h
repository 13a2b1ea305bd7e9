// Comparing what a rung left in its arrays with what the contract says.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "grader/lesson/lesson.h"

namespace ladder {

/// Whether @p got may stand where @p expected is wanted: within the tolerance, the same infinity, or NaN for
/// NaN. Bits are compared as those of doubles, which keep all that a quiet NaN of a narrower type carries.
inline bool acceptable(double expected, double got, Tolerance tolerance) {
  if (tolerance.same_bits) return std::bit_cast<std::uint64_t>(expected) == std::bit_cast<std::uint64_t>(got);
  if (expected != expected) return got != got;
  const double error = got > expected ? got - expected : expected - got;
  const double magnitude = expected < 0 ? -expected : expected;
  if (magnitude > 1.7976931348623157e308)
    return got == expected;  // infinite: a tolerance would be infinite, too
  return error <= tolerance.absolute + tolerance.relative * magnitude;  // false for a NaN
}

/// Where an array differs from what is expected, and how much of that follows a simple pattern.
struct Mismatches {
  static constexpr std::size_t kMostKept = 1 << 16;
  std::int64_t elements = 0;         ///< of the array
  std::int64_t count = 0;            ///< wrong ones
  std::int64_t first = 0, last = 0;  ///< indices of wrong elements; meaningless when count is 0
  std::int64_t poisoned = 0;         ///< wrong elements that still hold the poison, byte for byte
  std::int64_t zeros = 0;            ///< wrong elements that are 0
  std::int64_t nans = 0;             ///< wrong elements that are NaN and no poison
  std::vector<std::int64_t> kept;    ///< indices of the first kMostKept wrong elements, ascending
};

/// Compares every element.
/// @param buffer  its type, expected values and tolerance
/// @param got     the array's bytes after the run
/// @param poison  byte that filled the array before the run, or -1 when it was not poisoned
/// @throws std::logic_error when the lesson gave no expected values
Mismatches compare(const Buffer& buffer, std::span<const std::byte> got, int poison);

/// Whether two ranges of the same size hold the same bytes; uses all cores for large ones.
bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace ladder
