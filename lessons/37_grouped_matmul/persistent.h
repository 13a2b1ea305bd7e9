// What rung 3 has made, for rungs 4 and 5: the order of the tiles.
#pragma once

#include "list.h"

constexpr int kBand = 16;  // row tiles of an expert below each other, before the next column begins

/// The tile of a number. Numbers go expert by expert, and within one down a band of kBand row tiles, then on
/// to the next column of the band, and at its end to the next band.
__device__ inline Tile tile_of(const List& list, int experts, int number, int tiles_across) {
  const int expert = find_expert(list, experts, number / tiles_across);
  const int tiles_down = list.tiles_before[expert + 1] - list.tiles_before[expert];
  const int in_expert = number - list.tiles_before[expert] * tiles_across;
  const int first = in_expert / (kBand * tiles_across) * kBand;  // the band's first row tile
  const int height = min(kBand, tiles_down - first), in_band = in_expert - first * tiles_across;
  return {list.start[expert] + (first + in_band % height) * BM, list.start[expert + 1], in_band / height * BN,
          expert};
}
