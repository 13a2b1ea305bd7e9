// The bounds of the time model: how long a launch would take if one thing were its only limit.
#pragma once

#include "simulator/model/model.h"

namespace sim::model {

/// Bytes that a launch's global accesses move at each level.
struct Traffic {
  double loads = 0, stores = 0;              ///< between the SMs and L1 or, for stores and atomics, L2
  double first_loads = 0, first_stores = 0;  ///< between L2 and DRAM: each byte of the buffers once
  double l1_hit_share = 0;                   ///< of the loads that are not the first of their sector
  double l2_loads = 0;                       ///< loads that L1 does not serve
  double rewritten = 0;                      ///< stored again, since a sector is written in pieces
  double partial_line_share = 0;             ///< of the loads: sectors without others of their 128-byte line
};

/// A launch with what several bounds need of it.
struct BoundInputs {
  BoundInputs(const Gpu& gpu, const exec::KernelFacts& kernel, const exec::Launch& launch,
              const exec::LaunchResult& result, const Tuning& tuning);

  const Gpu& gpu;
  const exec::LaunchResult& result;
  const Tuning& tuning;
  double blocks, warps_per_block;
  Occupancy occupancy;
  double busiest_sm_share;  ///< of the launch: the SM with most blocks has ceil(blocks / SMs) of them
  double issue_clocks;      ///< of all schedulers together
  Traffic traffic;
};

/// Clocks of a global load that a warp waits for: as slow as the slowest of those under way together.
double load_clocks(const BoundInputs& in);

/// The schedulers start machine instructions.
Estimate issue_bound(const BoundInputs& in);
/// A unit of which an SM has fewer lanes than of the rest.
/// @param uses       what the launch asks of the unit
/// @param per_clock  what an SM's unit does in a clock
Estimate unit_bound(const BoundInputs& in, std::uint64_t uses, double per_clock, const char* unit);
/// wgmma: multiplications, and beside them the passes in which tiles come from shared memory. On an H100 a
/// product of 64 rows by N columns and 16 steps, both factors in shared memory, takes the longer of N / 2
/// clocks and 16 + N / 4; two warpgroups take twice that.
Estimate wgmma_bound(const BoundInputs& in);
/// Bulk copies: lines into an SM's shared memory, and bytes out of it, which all SMs together store at half
/// of an SM's rate. What they read of L2 and DRAM is memory_bound's.
Estimate bulk_bound(const BoundInputs& in);
/// L1 and shared memory are one pipe; named after whichever has more passes through it.
Estimate l1_pipe_bound(const BoundInputs& in);
/// L2's and DRAM's bandwidth. They are one behind the other, so they are one bound: the slower of them.
Estimate memory_bound(const BoundInputs& in);
/// The link to other GPUs, where memory of theirs is read or written.
Estimate peer_bound(const BoundInputs& in);
/// Chains of dependent instructions, in as many waves of blocks as the SMs need.
Estimate latency_bound(const BoundInputs& in);
/// Blocks that look back at the ones before them hand a value on, 32 blocks at a time.
Estimate look_back_bound(const BoundInputs& in);
/// Atomics on one address are serialised.
Estimate atomic_bound(const BoundInputs& in);

}  // namespace sim::model
