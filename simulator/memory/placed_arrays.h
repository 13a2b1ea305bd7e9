// The arrays that a runner has said buffers hold: findings then name elements, not bytes.
#pragma once

#include <cstdint>

#include "simulator/report/array_shape.h"

namespace sim::memory {

/// An array that a buffer holds from @ref base on.
struct PlacedArray {
  std::uint64_t base = 0, size = 0;  ///< of the buffer, bytes
  ArrayShape shape;
};

/// Notes what the buffer at @p base holds. Addresses are never used twice, so nothing is ever forgotten.
void place_array(std::uint64_t base, std::uint64_t size, const ArrayShape& shape);

/// The array that holds @p address, else the nearer one of its neighbours; null where nothing is known, and
/// where the address is so far from all that it was not made by an index.
const PlacedArray* array_near(std::uint64_t address);

}  // namespace sim::memory
