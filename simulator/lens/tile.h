// A tile in shared memory as it lies in the banks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/lens/text.h"
#include "simulator/report/tile_record.h"

namespace sim::lens {

/// 16 bytes of shared memory, in four neighbouring banks: what a swizzle moves as a whole.
struct TilePiece {
  int row = -1;    ///< of the tile; -1: no part of it
  int column = 0;  ///< its first element
};

/// 128 bytes, all 32 banks.
using TileLine = std::array<TilePiece, 8>;

/// The tile from its first line on, as many lines as there are until the pattern begins again, and fewer
/// where the tile ends.
std::vector<TileLine> lines_of(const TileRecord& tile);

/// Passes over the banks that reading one piece of each of the first eight rows takes, as ldmatrix and wgmma
/// do: 1 at best, 8 at worst.
int passes_down(const TileRecord& tile);

/// "64 rows of 64 elements of 2 bytes in tile, swizzle of 128 bytes".
std::string tile_in_words(const TileRecord& tile);

/// "Eight rows' elements 0-7 lie in all 32 banks: one pass; without the swizzle it would be 8."
std::string passes_in_words(const TileRecord& tile);

/// The tile in a terminal, at most 80 columns wide.
std::vector<std::string> tile_text(const TileRecord& tile, const TextStyle& style);

/// The tile as an SVG element, in the colours of the page that it stands in.
std::string tile_svg(const TileRecord& tile);

}  // namespace sim::lens
