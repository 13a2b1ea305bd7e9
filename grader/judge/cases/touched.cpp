#include "grader/judge/cases/touched.h"

#include <algorithm>

#include "grader/lesson/element.h"

namespace ladder {
namespace {

/// What is too short to be a part, and more than the stride of a grid as large as a GPU.
constexpr std::int64_t kShort = std::int64_t{1} << 24;

bool any_touched(const Touched& touched, const Buffer& array, const Elements& elements) {
  const auto size = static_cast<std::int64_t>(size_of(array.type));
  return std::any_of(touched.begin(), touched.end(), [&](const ByteRange& range) {
    return range.first < (elements.last + 1) * size && range.first + range.bytes > elements.first * size;
  });
}

}  // namespace

std::optional<Elements> untouched_part(const Touched& touched, const Buffer& array) {
  const std::int64_t all = array.elements();
  for (std::int64_t first = 0; first < all; first += kCountedByInt) {
    const Elements part{first, std::min(first + kCountedByInt, all) - 1};
    if (part.last - part.first >= std::min(kShort, all - 1) && !any_touched(touched, array, part))
      return part;
  }
  return std::nullopt;
}

bool is_read_by_32_bits(const Touched& touched, const Buffer& array) {
  constexpr std::int64_t kCounted = 2 * kCountedByInt;
  const std::int64_t all = array.elements();
  return all - kCounted >= kShort && any_touched(touched, array, {kCounted - kShort, kCounted - 1}) &&
         !any_touched(touched, array, {kCounted, all - 1});
}

}  // namespace ladder
