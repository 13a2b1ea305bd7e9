// What a warp's access to memory costs, as Nsight Compute counts it. The rules were found by comparing with
// an H200: tests/simulator/counters has the accesses, its counts, and the comparison.
#pragma once

#include "simulator/instructions/lanes.h"

namespace sim::exec {

// In all of these lane i of the mask accesses @p bytes bytes at first + offsets[i].

/// 32-byte sectors of global memory that a load or store touches.
u32 count_sectors(const s64* offsets, Mask mask, u64 first, u32 bytes);

/// Sectors of a load or store, and those of them that have no other one of their 128-byte line beside them.
struct LineSectors {
  u32 all = 0, alone = 0;
};
LineSectors count_line_sectors(const s64* offsets, Mask mask, u64 first);

/// 32-byte sectors that an atomic touches. Updates of one address are serialised: each pass counts.
u32 count_atomic_sectors(const s64* offsets, Mask mask, u64 first, u32 bytes);

/// Sectors that a cp.async past L1 (.cg) counts: pairs of a 128-byte line it reads and a sector of shared
/// memory it writes to. Lane i writes to @p targets[i].
u32 count_bypass_sectors(const s64* offsets, const u32* targets, Mask mask, u64 first);

/// Passes over the 32 four-byte banks of shared memory.
u32 count_wavefronts(const s64* offsets, Mask mask, u64 first, u32 bytes, bool loads);

/// How the hardware does an atomic on shared memory.
enum class SharedAtomic : u8 {
  unit,       ///< an instruction (ATOMS.ADD, .MAX, .EXCH ...)
  increment,  ///< +1 without a result: lanes of one address are counted first (ATOMS.POPC.INC)
  swap,       ///< compare-and-swap: reads, then writes (ATOMS.CAS)
  loop  ///< no instruction for it: load, compute, compare-and-swap until it succeeds (float and 64 bits)
};
struct SharedAtomicCost {
  u32 requests = 1;
  u32 wavefronts = 0;
  u32 load_wavefronts = 0;  ///< of the loads in a loop, of which there are as many as requests
};
SharedAtomicCost count_shared_atomic(SharedAtomic how, const s64* offsets, Mask mask, u64 first, u32 bytes);

/// 32-byte sectors of local memory, where the lanes' words of the same address lie side by side.
u32 count_local_sectors(const s64* offsets, Mask mask, u64 first, u32 bytes);

}  // namespace sim::exec
