// What a memory instruction remembers from one execution to the next: the allocation and
// the pattern of addresses.
#pragma once

#include <array>
#include <vector>

#include "simulator/instructions/lanes.h"
#include "simulator/report/kernel_record.h"

namespace sim::exec {

/// How the lanes' addresses lie to each other. Bounds, coalescing and bank conflicts follow from it,
/// and they are the same for every access that differs by a shift only, so loops meet the same
/// pattern again and again.
struct AccessPattern {
  enum class Shape : u8 { scattered, contiguous, broadcast };
  alignas(64) s64 offset[kLanes] = {};  ///< from the first active lane's address; 0 for inactive lanes
  alignas(64) s32 narrow[kLanes] = {};  ///< the same for 32-bit addresses
  Mask mask = 0;
  u32 phase = 0;  ///< of the first address; what a shift must keep, within phase_mask, for the cost to stay
  u32 phase_mask = 0;     ///< 0 when any shift keeps it
  s64 low = 0, high = 0;  ///< least and greatest offset
  u32 alignment = 0;      ///< all offsets OR-ed together
  u32 learned = 0;        ///< of a site: a number for each pattern it has had; 0: no site's
  u32 cost = 0;           ///< sectors or wavefronts
  u32 requests = 1;       ///< that the hardware makes of one access
  /// Atomics: the lanes whose updates reach memory, after ptxas' sums over the warp.
  Mask lanes_at_memory = 0;
  Shape shape = Shape::scattered;
  ptx::Space space = ptx::Space::generic;  ///< that the cost was worked out for
};

/// What the accesses at one site have cost, by where they landed.
struct AccessCount {
  u64 requests = 0;
  u64 cost = 0;  ///< sectors in global and local memory, wavefronts in shared memory
};
enum class CountedSpace : u8 { global, shared, local };

/// Whether ptxas adds up an atomic's values over the warp, so that one lane does it.
enum class WarpAggregation : u8 { never, full_warps, always };

/// Narrower loads that ptxas makes of one whose elements are not all used: their width and where they begin.
struct NarrowedLoad {
  u8 count = 0, bytes = 0;  ///< count 0: the load is left as it is
  u8 at[2] = {};
};

struct Site {
  AccessPattern pattern;
  // What every access reads and writes, beside the pattern's own: in one line of the host's cache.
  u64 base = 1, size = 0;  ///< the allocation last accessed
  std::byte* host = nullptr;
  u64 uses = 0;           ///< accesses with the present pattern, which counts does not have yet
  bool sampling = false;  ///< the sampled block still runs
  AccessCount counts[3];  ///< by CountedSpace
  WarpAggregation warp_aggregation = WarpAggregation::never;
  u32 loop_wavefronts = 0;  ///< atomics that are loops: wavefronts of their loads
  u32 weight = 1;           ///< requests that one execution makes: 0 when ptxas joins it to another access
  u32 counted_bytes = 0;    ///< of one lane, when ptxas joins others to it; 0: what it accesses itself
  NarrowedLoad narrowed;
  AccessSample sample;              ///< of the patterns in the sampled block the one that has cost most
  std::vector<AccessSample> steps;  ///< all of them, in the order in which they came first
  bool keeps_steps = false;
  u64 sampled_rank = ~u64{0};  ///< Block::example_rank of the sampled block
  /// Of `uses` those of the sampled block, by the 32-byte sector of a 128-byte line in which the first
  /// address lies. Apart from their sum, because four counters added up as one vector wait for the last one's
  /// store.
  std::array<u64, 4> sampled_uses{};
  /// What all its patterns have cost, and of that the sectors of global memory without others of their
  /// 128-byte line. Lines are told apart in that block only: for every access of a launch it would take too
  /// long.
  u64 sampled_cost = 0, sampled_alone = 0;

  /// Counts the uses of the present pattern, before another takes its place.
  void retire_pattern();

  /// Adds them to the sample, while the sampled block runs or when it ends.
  void add_to_sample();

 private:
  void add_step(u64 uses_of_it);
  AccessSample present_sample(u64 uses_of_it) const;
};

}  // namespace sim::exec
