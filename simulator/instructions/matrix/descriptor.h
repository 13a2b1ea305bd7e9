// Descriptors of matrices in shared memory, as wgmma reads them.
#pragma once

#include "simulator/instructions/lanes.h"

namespace sim::exec {

/// A matrix of 16-byte pieces. Rows of one step are 32 bytes; across rows (MN-major), a piece has eight
/// elements of one step.
struct SharedMatrix {
  u32 start = 0, leading = 0, stride = 0;  ///< bytes
  u32 base_offset = 0;
  u32 swizzle = 0;  ///< bytes: 0, 32, 64, 128

  /// @param bits  bits 0-13 the start, 16-29 the leading and 32-45 the stride offset, all in 16 bytes; 49-51
  /// the base offset; 62-63 the swizzle
  explicit SharedMatrix(u64 bits) {
    const auto field = [&](int at) { return u32(bits >> at & 0x3FFF) << 4; };
    start = field(0), leading = field(16), stride = field(32);
    base_offset = u32(bits >> 49 & 7);
    const u32 mode = u32(bits >> 62);
    swizzle = mode == 0 ? 0 : 256u >> mode;
  }

  /// Address in shared memory of half @p half of a step of row @p row.
  u32 of_row(u32 row, u32 half) const { return swizzled(row_before_swizzle(row, half)); }
  u32 row_before_swizzle(u32 row, u32 half) const {
    if (swizzle == 0) return start + row / 8 * stride + row % 8 * 16 + half * leading;
    return start + row / 8 * stride + row % 8 * swizzle + half * 16;
  }

  /// Address of rows 8 * @p group to 8 * @p group + 7 of step @p step.
  u32 of_column(u32 step, u32 group) const { return swizzled(column_before_swizzle(step, group)); }
  u32 column_before_swizzle(u32 step, u32 group) const {
    if (swizzle == 0) return start + group * stride + step / 8 * leading + step % 8 * 16;
    const u32 groups = swizzle / 16;
    return start + group / groups * leading + step / 8 * stride + step % 8 * swizzle + group % groups * 16;
  }

 private:
  /// The pattern belongs to the address: bits 4 to 6, or fewer, are combined with those from 7 on.
  u32 swizzled(u32 address) const {
    if (swizzle == 0) return address;
    return address ^ (((address >> 7) - base_offset) & (swizzle / 16 - 1)) << 4;
  }
};

}  // namespace sim::exec
