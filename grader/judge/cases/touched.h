// Which parts of a giant array a sample of the blocks has come to, by the pages that it touched.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grader/lesson/lesson.h"

namespace ladder {

inline constexpr std::int64_t kCountedByInt = std::int64_t{1} << 31;  ///< elements

struct ByteRange {
  std::int64_t first, bytes;
};

/// Whole pages of one array, ascending.
using Touched = std::vector<ByteRange>;

/// Elements of an array, both ends included.
struct Elements {
  std::int64_t first, last;
};

/// The first part of 2^31 elements of which none lies on a touched page, if there is one. The last part
/// counts unless it is so short that one block in many has to do with it.
std::optional<Elements> untouched_part(const Touched& touched, const Buffer& array);

/// Whether of more than 2^32 elements those just below were touched, and none from there on: as by an index
/// of 32 bits, which is 0 behind the last that it can count.
bool is_read_by_32_bits(const Touched& touched, const Buffer& array);

}  // namespace ladder
