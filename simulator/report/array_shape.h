// An array as its source calls it, and its elements' names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim {

struct ArrayShape {
  std::string name;                   ///< as the source calls it: "out"
  std::uint32_t element_bytes = 0;    ///< 0: nothing is known
  std::vector<std::int64_t> extents;  ///< row-major
  std::uint64_t start = 0;            ///< of the first element in its buffer, bytes
  bool known() const { return element_bytes != 0 && !extents.empty(); }
};

/// The element that holds the byte at @p offset of the buffer, which may lie before the array or behind it:
/// "out[2]", "m[3][0]", "out[-1]".
std::string element_name(const ArrayShape& array, std::int64_t offset);

/// "out has 2 elements", "m is [3][24]".
std::string extent_in_words(const ArrayShape& array);

}  // namespace sim
