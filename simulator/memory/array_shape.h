// The arrays that a runner has said buffers hold: findings then name elements, not bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::memory {

struct ArrayShape {
  std::string name;                   ///< as the source calls it: "out"
  std::uint32_t element_bytes = 0;    ///< 0: nothing is known
  std::vector<std::int64_t> extents;  ///< row-major
  std::uint64_t start = 0;            ///< of the first element in the buffer, bytes
  bool known() const { return element_bytes != 0 && !extents.empty(); }
};

/// An array that a buffer holds from @ref base on.
struct PlacedArray {
  std::uint64_t base = 0, size = 0;  ///< of the buffer, bytes
  ArrayShape shape;
};

/// Notes what the buffer at @p base holds. Addresses are never used twice, so nothing is ever forgotten.
void place_array(std::uint64_t base, std::uint64_t size, const ArrayShape& shape);

/// The array that holds @p address, else the nearer one of its neighbours; null where nothing is known.
const PlacedArray* array_near(std::uint64_t address);

/// The element that holds the byte at @p offset of the buffer, which may lie before the array or behind it:
/// "out[2]", "m[3][0]", "out[-1]".
std::string element_name(const ArrayShape& array, std::int64_t offset);

/// "out has 2 elements", "m is [3][24]".
std::string extent_in_words(const ArrayShape& array);

}  // namespace sim::memory
