#include "simulator/model/occupancy.h"

#include <algorithm>

#include "language/catalogue.h"

namespace sim::model {
namespace {

constexpr std::uint32_t kSchedulers = 4;               ///< of an SM
constexpr std::uint32_t kRegisterAllocation = 256;     ///< registers are given to warps in units of so many
constexpr int kMostOfClusters = 8;                     ///< blocks on an SM that are of clusters
constexpr std::uint32_t kSharedAllocationBytes = 128;  ///< shared memory is given to blocks in these units

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Occupancy occupancy(const Gpu& gpu, std::uint32_t registers, std::uint32_t shared_bytes,
                    std::uint32_t block_threads) {
  const std::uint32_t warps = (std::max(block_threads, 1u) + kWarpThreads - 1) / kWarpThreads;
  // Each scheduler has a quarter of the registers, and a warp takes its own from one of them.
  const std::uint32_t registers_per_warp =
      round_up(std::max(registers, 1u) * kWarpThreads, kRegisterAllocation);
  const std::uint32_t warps_by_registers =
      std::uint32_t(gpu.registers_per_sm) / kSchedulers / registers_per_warp * kSchedulers;
  const std::uint32_t shared_per_block = round_up(shared_bytes + gpu.shared_reserved, kSharedAllocationBytes);
  Occupancy result{gpu.max_threads_per_sm / int(warps * kWarpThreads), 0, tr_noop("threads")};
  const auto limit = [&](std::uint32_t blocks, const char* name) {
    if (int(blocks) < result.blocks_per_sm) result = {int(blocks), 0, name};
  };
  limit(std::uint32_t(gpu.max_blocks_per_sm), tr_noop("blocks"));
  limit(warps_by_registers / warps, tr_noop("registers"));
  if (shared_per_block) limit(gpu.shared_per_sm / shared_per_block, tr_noop("shared memory"));
  result.warps_per_sm = result.blocks_per_sm * int(warps);
  return result;
}

int active_clusters(const Gpu& gpu, int blocks_per_sm, int cluster_blocks) {
  int clusters = 0;
  for (const int sms : gpu.cluster_groups)  // a group that could not give each block an SM has no clusters
    if (sms >= cluster_blocks) clusters += sms * std::min(blocks_per_sm, kMostOfClusters) / cluster_blocks;
  return clusters;
}

}  // namespace sim::model
