// Who has read a word since it was last written.
#pragma once

#include "simulator/instructions/lanes.h"

namespace sim::sanitizer {

using namespace exec;

/// How widely a word was read since it was last written: by readers that are not ordered among each other.
enum class Readers : u32 { one, warp, block, grid };

/// Lanes of one warp that join the readers of a word.
struct NewReaders {
  u32 lanes;        ///< a mask
  u32 warp_bit;     ///< of their warp, in a set of warps
  u32 block_first;  ///< thread of the grid that a set of warps counts from
  bool in_warp;     ///< the word's `who` is of their warp
  bool in_block;    ///< it is of their block
};

/// The readers of a word that are not ordered among each other. Once they are wider than a set can tell, only
/// how wide is known: later writers are held against all of them.
///
/// Numbers without branches, so that loops over neighbouring words become vector code.
struct ReaderSet {
  u32 readers;  ///< Readers, as a number
  u32 who;      ///< one of them
  u32 set;      ///< Readers::warp: lanes; Readers::block: warps, modulo 32; else anything

  SIM_INLINE ReaderSet with(const NewReaders& more) const {
    const u32 outside = more.in_block ? u32(Readers::block) : u32(Readers::grid);
    const u32 reach = more.in_warp ? u32(Readers::warp) : outside;
    const u32 wider = reach > readers ? reach : readers;
    const u32 lanes = (readers == u32(Readers::one) ? 1u << (who & 31) : set) | more.lanes;
    const u32 its_warp = 1u << ((who - more.block_first) / u32(kLanes) & 31);
    const u32 warps = (readers == u32(Readers::block) ? set : its_warp) | more.warp_bit;
    return {wider, who, wider == u32(Readers::warp) ? lanes : warps};
  }
};

}  // namespace sim::sanitizer
