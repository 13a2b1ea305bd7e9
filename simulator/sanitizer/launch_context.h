// What the detectors of one launch share.
#pragma once

#include "simulator/engine/launch.h"
#include "simulator/sanitizer/analysis/kernel_analysis.h"
#include "simulator/sanitizer/finding_collector.h"
#include "simulator/sanitizer/global_shadows.h"
#include "simulator/sanitizer/per_block.h"
#include "simulator/sanitizer/race/happens_before.h"

namespace sim::sanitizer {

struct LaunchContext {
  /// @param written  which bytes of global memory have been written; null: all
  LaunchContext(const KernelAnalysis& analysis_of_kernel, const exec::Launch& launch_seen,
                memory::AddressSpace& device, Written* written)
      : analysis(analysis_of_kernel),
        launch(launch_seen),
        space(device),
        collector(analysis, launch),
        order(u64(launch.grid[0]) * launch.grid[1] * launch.grid[2],
              launch.block[0] * launch.block[1] * launch.block[2], code().ordered),
        globals(code().sources.size(), space, written) {}

  const Code& code() const { return analysis.code(); }
  /// Whether blocks reach each other's shared memory.
  bool clustered() const { return exec::blocks_of_cluster(launch) > 1; }

  const KernelAnalysis& analysis;
  const exec::Launch& launch;
  memory::AddressSpace& space;
  FindingCollector collector;
  HappensBefore order;          ///< advanced by the race detector
  PerBlock<BlockOrder> blocks;  ///< the order within each block, and the shadow of its shared memory
  GlobalShadows globals;
  /// A store did not take place, or went astray: what is unwritten because of it follows from that finding,
  /// and is not reported.
  bool store_missing = false;
};

/// One warp-wide access to shared or global memory, with the shadow of what it accesses.
struct WarpAccess {
  Warp& w;
  const ObservedAccess& seen;
  u32 at;  ///< instruction
  const MemorySemantics& semantics;
  BlockOrder& block;
  WarpOrder& order;   ///< of the warp
  u32 first_thread;   ///< of the grid, of lane 0
  BlockOrder& owner;  ///< of the shared memory accessed; of other memory: the warp's own
  Shadow& shadow;
  u64 base;  ///< address of the shadow's first byte
  bool in_shared;
  bool of_one_block;  ///< no thread of another block can access it: shared memory without clusters

  /// Offset of a lane's bytes in the shadow.
  u64 offset_of(int lane) const { return seen.first + u64(seen.pattern.offset[lane]) - base; }
};

}  // namespace sim::sanitizer
