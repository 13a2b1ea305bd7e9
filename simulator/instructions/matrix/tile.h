// How the hardware moves a wmma tile between memory and registers: which accesses wmma.load and wmma.store
// become. The simulator moves the tile in one piece and counts these.
#pragma once

#include <array>
#include <vector>

#include "simulator/instructions/matrix/fragment.h"

namespace sim::exec {

/// One access of the warp. A lane's bytes are at line[lane] * stride + within[lane] elements.
struct TileAccess {
  u32 bytes = 0;  ///< of one lane
  Mask mask = kAllLanes;
  std::array<u8, kLanes> line{}, within{};
};

/// @param which        'a', 'b', or 'c' for accumulators
/// @param lines        rows of the tile in memory if it is stored by rows, else columns
/// @param length       elements of a line
/// @param by_rows      stored by rows
/// @param known_shared the instruction names shared memory: a and b come by ldmatrix where it can do it
std::vector<TileAccess> tile_accesses(char which, Element element, int lines, int length, bool by_rows,
                                      bool known_shared);

}  // namespace sim::exec
