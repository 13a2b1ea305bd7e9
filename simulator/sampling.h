// Launches of which a sample of the blocks is run, over buffers that no memory could hold.
#pragma once

#include <cstdint>
#include <vector>

namespace sim {

/// From now on only some blocks of each launch run: the first, the last, and others from all over the grid.
/// What the kernels compute is then incomplete, and findings are those of the plain build. Filling a large
/// buffer fills what was touched of it.
/// @param seed  says which; 0: all blocks again
void sample_launches(std::uint64_t seed);

/// Neighbouring bytes.
struct ByteRange {
  std::uint64_t first = 0, bytes = 0;  ///< from the buffer's start
};

/// The pages of a buffer that something has touched, ascending and joined; empty where there
/// is no such buffer.
/// @param start  as the allocation returned it
std::vector<ByteRange> touched_pages(const void* start);

}  // namespace sim
