#include "simulator/memory/tensor_map.h"

#include <bit>

namespace sim::memory {
namespace {

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 32, kMostStride = std::uint64_t{1} << 40;
constexpr unsigned kMostPixels = 1024, kMostBox = 256, kMostStep = 8, kGranule = 16, kMostBytes = 227 * 1024;

bool within(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value >= least && value <= most;
}

/// What the tensor alone has to fulfil.
bool tensor_possible(const TensorMap& map) {
  const unsigned granule = map.slice > kGranule ? map.slice : kGranule;
  const bool floating = map.element > TensorElement::signed_bits && map.element <= TensorElement::tf32;
  if (!std::has_single_bit(map.element_bytes) || map.element_bytes > 8 || map.element > TensorElement::tf32 ||
      map.swizzle > 3 || map.nan_fill > 1 || (map.nan_fill == 1 && !floating) || map.im2col > 1 ||
      (map.slice != 0 && ((map.slice != 16 && map.slice != 32) || map.rank < 3)) ||
      map.address % granule != 0)
    return false;
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.extent[i] - 1 >= kMostExtent || !within(map.step[i], 1, kMostStep)) return false;
    if (i + 1 < map.rank && (map.stride[i] % granule != 0 || map.stride[i] >= kMostStride)) return false;
  }
  return true;
}

bool tiled_box_possible(const TensorMap& map) {
  for (unsigned i = 0; i < map.rank; ++i)
    if (!within(map.box[i], 1, kMostBox)) return false;
  return true;
}

bool pixel_box_possible(const TensorMap& map) {
  if (map.rank < 3 || !within(map.box[0], 1, kMostBox) || !within(map.box[1], 1, kMostPixels)) return false;
  const int reach = 1 << (16 / (map.rank - 2) - 1);  // the corners share 16 bits
  for (unsigned i = 0; i + 2 < map.rank; ++i)
    if (!within(map.lower[i], -reach, reach - 1) || !within(map.upper[i], -reach, reach - 1) ||
        map.last_pixel(map.first_pixel_axis() + i) < map.lower[i])
      return false;
  return true;
}

}  // namespace

bool TensorMap::possible() const {
  if (magic != kMagic || !within(rank, 1, kMostAxes) || !tensor_possible(*this)) return false;
  if (!(im2col != 0 ? pixel_box_possible(*this) : tiled_box_possible(*this))) return false;
  const unsigned row = box[0] * element_bytes;  // of slices, too
  const bool fits = swizzle == 0 || slice != 0 || row <= kGranule << swizzle;
  return row % kGranule == 0 && fits && (slice != 0 || box_bytes() <= kMostBytes);
}

}  // namespace sim::memory
