// Occupancy: how many blocks and warps of a kernel an SM holds.
#pragma once

#include <cstdint>

#include "simulator/model/gpu.h"

namespace sim::model {

inline constexpr std::uint32_t kWarpThreads = 32;

/// Blocks of one kernel that an SM holds at a time, and what stops it from holding more.
struct Occupancy {
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  const char* limiter = "";  ///< "threads", "blocks", "registers", "shared memory"
};

/// @param registers     per thread
/// @param shared_bytes  static and dynamic, per block
/// @param block_threads threads of a block
Occupancy occupancy(const Gpu& gpu, std::uint32_t registers, std::uint32_t shared_bytes,
                    std::uint32_t block_threads);

/// Clusters that the GPU holds at a time, each within one of its groups of SMs. What an H200 and an H100 say
/// for clusters of 1 to 16 blocks is in tests/end_to_end/programs/tensor_copies/h200.txt.
/// @param blocks_per_sm   that fit by themselves
/// @param cluster_blocks  of each cluster
/// @return 0 where it has no clusters
int active_clusters(const Gpu& gpu, int blocks_per_sm, int cluster_blocks);

}  // namespace sim::model
