// Which elements of a sparse factor are there: mma.sp and wgmma.sp read it from registers of a warp.
#pragma once

#include "simulator/instructions/matrix/fragment.h"

namespace sim::exec {

/// Metadata of 16 rows, four bits for each group of elements: two of four by their two-bit places, or of 32
/// bits one of two, whose first bit counts as its place twice.
struct Metadata {
  const u32* words;  ///< of a warp's lanes
  u32 selector;      ///< the lanes of each four that count
  int groups;        ///< of a row
  int element_bits;

  Metadata(const u32* of, u32 which, int dense_columns, Element element)
      : words(of),
        selector(which),
        groups(dense_columns / (bits_of(element) == 32 ? 2 : 4)),
        element_bits(bits_of(element)) {}

  /// Column in the whole row of the element that is stored as number @p stored.
  int column(int row, int stored) const {
    if (element_bits == 32) return 2 * stored + int(nibble(row, stored) >> 1 & 1);
    return stored / 2 * 4 + int(nibble(row, stored / 2) >> stored % 2 * 2 & 3);
  }

 private:
  /// Half of a lane's word is for each of two rows, or of bytes a whole one.
  u32 nibble(int row, int group) const {
    const bool bytes = element_bits == 8;
    const int within = bytes ? row / 8 + 2 * (group / 8) : group / 4;
    const int lane = row % 8 * 4 + int(selector) * groups / 4 + within;
    return words[lane] >> (bytes ? group % 8 * 4 : row / 8 * 16 + group % 4 * 4) & 15;
  }
};

}  // namespace sim::exec
