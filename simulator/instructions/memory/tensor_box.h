// The rows of a box of a tensor map: where each lies in the tensor, and what of it lies outside.
#pragma once

#include <algorithm>
#include <array>

#include "simulator/instructions/lanes.h"
#include "simulator/memory/tensor_map.h"

namespace sim::exec {

/// Where a copy's box begins.
struct BoxOrigin {
  std::array<s32, 5> at{};      ///< of the first axis: in units of the map
  std::array<u16, 3> offset{};  ///< im2col: of the filter's element, along the axes of pixels
};

/// The part of a row of a box that lies inside the tensor: units [first, last), and the address of the first.
struct BoxRow {
  u32 first = 0, last = 0;
  u64 address = 0;
  bool beside_images = false;  ///< im2col: none of the images has the pixel, whichever of them it is
};

/// The row of @p units units at @p place, of which the first coordinate is where its first unit would be.
inline BoxRow row_at(const memory::TensorMap& map, const std::array<s64, 5>& place, u32 units) {
  BoxRow row;
  row.address = map.address;
  bool inside = true;
  for (unsigned i = 1; i < map.rank; ++i) {
    inside &= place[i] >= 0 && u64(place[i]) < map.extent[i];
    row.address += u64(place[i]) * map.stride[i - 1];
  }
  const s64 from = place[0], to = std::min(from + s64(units), s64(map.extent[0]));
  if (inside && std::max<s64>(from, 0) < to) {
    row.first = u32(std::max<s64>(from, 0) - from);
    row.last = u32(to - from);
    row.address += u64(from + s64(row.first)) * map.unit_bytes();
  }
  return row;
}

/// The next pixel of the bounding box: first along the first axis of pixels, at last along the one of images.
inline void step_pixel(const memory::TensorMap& map, std::array<s64, 5>& pixel) {
  const unsigned first = map.first_pixel_axis();
  for (unsigned i = first; i < map.end_of_pixel_axes(); ++i) {
    pixel[i] += map.step[i];
    if (pixel[i] <= map.last_pixel(i)) return;
    pixel[i] = map.lower[i - first];
  }
  ++pixel[map.rank - 1u];
}

/// Calls @p act(row, offset of the row in the box) for every row; slices that a step parts are rows of their
/// own.
template <class Act>
void each_row(const memory::TensorMap& map, const BoxOrigin& origin, Act act) {
  std::array<s64, 5> place{};
  std::copy(origin.at.begin(), origin.at.end(), place.begin());
  const u32 bytes = map.row_bytes(), rows = map.rows();
  if (map.im2col) {
    for (u32 r = 0; r < rows; ++r, step_pixel(map, place)) {
      std::array<s64, 5> there = place;
      bool beside = false;
      for (unsigned i = map.first_pixel_axis(); i < map.end_of_pixel_axes(); ++i) {
        there[i] += origin.offset[i - map.first_pixel_axis()];
        beside |= there[i] < 0 || u64(there[i]) >= map.extent[i];
      }
      BoxRow row = row_at(map, there, map.length(0));
      row.beside_images = beside;
      act(row, r * bytes);
    }
    return;
  }
  for (u32 r = 0; r < rows; ++r) {
    u32 rest = r;
    for (unsigned i = 1; i < map.rank; ++i) {
      place[i] = s64{origin.at[i]} + s64(rest % map.length(i)) * map.step[i];
      rest /= map.length(i);
    }
    if (map.slice == 0 || map.step[0] == 1) {
      act(row_at(map, place, map.length(0)), r * bytes);
      continue;
    }
    for (u32 i = 0; i < map.length(0); ++i) {
      std::array<s64, 5> slice = place;
      slice[0] += s64(i) * map.step[0];
      act(row_at(map, slice, 1), r * bytes + i * map.slice);
    }
  }
}

}  // namespace sim::exec
