// What Watch keeps per block and per allocation.
#pragma once

#include "simulator/findings/watch.h"

namespace sim::findings {

struct Watch::GlobalShadow {
  explicit GlobalShadow(u64 bytes) : shadow(bytes) {}
  Shadow shadow;
  u64 base = 0, size = 0;
  WrittenBytes* written = nullptr;  ///< null: all is
};

struct Watch::BlockState {
  BlockState(u32 shared_bytes, std::size_t warps) : order(shared_bytes, warps), arrived(warps) {}
  BlockOrder order;
  Mask started_last = kAllLanes;  ///< lanes of the last warp that exist
  std::vector<Mask> arrived;      ///< lanes that announced themselves at a barrier without waiting
  std::vector<bool> local;  ///< bytes of local memory that were written, lane after lane, warp after warp
  u32 exited = 0;           ///< threads
  u32 exited_thread = 0;    ///< one of them
  const Instr* first_at[16] = {};  ///< instruction of the first arrival at each barrier
  u32 first_expected[16] = {};
};

/// The lanes of a warp that act.
struct Watch::Actor {
  Warp& w;
  BlockState& block;
  WarpOrder& order;
  u32 warp;          ///< of the block
  u32 first_thread;  ///< of the grid, of lane 0
};

/// What they act on.
struct Watch::Place {
  const Seen& seen;
  u32 at;  ///< instruction
  const Manner& manner;
  Shadow& shadow;
  bool in_shared;
  u64 base;  ///< address of the shadow's first byte
};

}  // namespace sim::findings
