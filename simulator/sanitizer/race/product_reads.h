// What products of warpgroups (wgmma) read of a block's shared memory, until their groups have been waited
// for and whoever writes there knows of it.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "simulator/decode/wrappers.h"
#include "simulator/engine/warpgroup.h"
#include "simulator/sanitizer/race/vector_clock.h"

namespace sim::sanitizer {

/// A product that has read. Each of its warps may wait for it; behind one of these waits it is over.
struct ProductRead {
  u32 at = 0;         ///< instruction
  u32 warpgroup = 0;  ///< of the block
  SourceLine line;
  std::array<u32, kWarpsOfGroup> group{};     ///< of each warp's products
  std::array<Epoch, kWarpsOfGroup> waited{};  ///< 0: not yet
};

class ProductReads {
 public:
  static constexpr u32 kPiece = 16;  ///< bytes

  bool empty() const { return all_.empty(); }
  void clear() {
    all_.clear();
    last_.clear();
  }
  /// The product that a warpgroup has begun last where none of its warps has committed it; made where there
  /// is none.
  ProductRead& under_way(u32 at, u32 warpgroup, const SourceLine& line,
                         const std::array<u32, kWarpsOfGroup>& group);
  /// The last product begun reads the piece at an offset of shared memory.
  void reads(u32 offset);
  /// A warp waits for its groups before @p end.
  void waits(u32 warp, u32 end, Epoch now);
  /// Calls @p act(product) for the last product of each warpgroup that has read some of these bytes; where it
  /// says so, that is forgotten.
  template <class Act>
  void each_reader(u64 offset, u32 bytes, Act act) {
    for (std::vector<u32>& pieces : last_)
      for (u64 p = offset / kPiece; p <= (offset + bytes - 1) / kPiece && p < pieces.size(); ++p)
        if (pieces[p] != 0 && act(all_[pieces[p] - 1])) pieces[p] = 0;
  }

 private:
  std::deque<ProductRead> all_;
  std::vector<std::vector<u32>> last_;  ///< by warpgroup, by piece: the place in `all_`, from 1; 0: nobody
};

}  // namespace sim::sanitizer
