#include "simulator/instructions/matrix/tile.h"

#include <algorithm>

namespace sim::exec {

namespace {

template <class Offset>
TileAccess access_of(u32 bytes, int lanes, Offset offset_of) {
  TileAccess a;
  a.bytes = bytes;
  a.mask = lanes == kLanes ? kAllLanes : (Mask{1} << lanes) - 1;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto [line, within] = offset_of(lane);
    a.line[std::size_t(lane)] = u8(line);
    a.within[std::size_t(lane)] = u8(within);
  }
  return a;
}

}  // namespace

// Read off the machine code that ptxas makes for sm_90 of every shape, type and layout. Lanes form 8 groups
// of 4: lane (g, m) holds p neighbouring elements of line g, from element p * m on, of each 8-line block.
std::vector<TileAccess> tile_accesses(char which, Element element, int lines, int length, bool by_rows,
                                      bool known_shared) {
  const u32 size = u32(bytes_of(element));
  const bool sum = which == 'c';
  const int p = size == 1 ? 4 : size == 2 || sum ? 2 : 1;      // tf32 and double factors
  const bool wide_sum = by_rows ? length == 32 : lines == 32;  // m8n32: its fragment is that of the transpose
  const bool along = which == 'a' ? by_rows : which == 'b' ? !by_rows : by_rows != wide_sum;
  std::vector<TileAccess> all;
  using Offset = std::pair<int, int>;
  // Sixteen-bit tiles that lie across are loaded along their lines and transposed in registers.
  if (along || size == 2) {
    const int across = length / (4 * p), blocks = lines / 8 * across;
    const bool matrices = known_shared && !sum && size <= 2;
    const int at_once = matrices ? std::min(blocks, size == 2 ? 4 : 2) : 1;
    for (int b = 0; b < blocks; b += at_once) {
      const auto corner = [&](int block) { return Offset(block / across * 8, block % across * 4 * p); };
      if (matrices) {
        all.push_back(access_of(16, 8 * at_once, [&](int lane) {
          const auto [line, within] = corner(b + lane / 8);
          return Offset(line + lane % 8, within);
        }));
      } else {
        all.push_back(access_of(size * u32(p), kLanes, [&](int lane) {
          const auto [line, within] = corner(b);
          return Offset(line + lane / 4, within + p * (lane % 4));
        }));
      }
    }
    return all;
  }
  for (int line = 0; line < lines; line += 4 * p)
    for (int within = 0; within < length; within += 8)
      for (int e = 0; e < p; ++e)
        all.push_back(access_of(
            size, kLanes, [&](int lane) { return Offset(line + p * (lane % 4) + e, within + lane / 4); }));
  return all;
}

}  // namespace sim::exec
