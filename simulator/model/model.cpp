#include "simulator/model/model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sim::model {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kSchedulers = 4;  // of an SM
constexpr double kSector = 32;            // bytes
constexpr double kLoadsInFlight = 4;  // independent loads of one thread: what ptxas makes of an unrolled loop
constexpr double kL1HitsOfReloads = 0.5;  // share of repeated sector reads that L1 serves

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

double product(const Index3& extent) { return double(extent[0]) * extent[1] * extent[2]; }

}  // namespace

Occupancy occupancy(const Gpu& gpu, std::uint32_t registers, std::uint32_t shared_bytes,
                    std::uint32_t block_threads) {
  const std::uint32_t warps = (std::max(block_threads, 1u) + kWarp - 1) / kWarp;
  // Registers are given to warps in units of 256, shared memory to blocks in units of 128 bytes.
  // Each scheduler has a quarter of the registers, and a warp takes its own from one of them.
  const std::uint32_t registers_per_warp = round_up(std::max(registers, 1u) * kWarp, 256);
  const std::uint32_t warps_by_registers =
      std::uint32_t(gpu.registers_per_sm) / kSchedulers / registers_per_warp * kSchedulers;
  const std::uint32_t shared_per_block = round_up(shared_bytes + gpu.shared_reserved, 128);
  Occupancy result{gpu.max_threads_per_sm / int(warps * kWarp), 0, "threads"};
  const auto limit = [&](std::uint32_t blocks, const char* name) {
    if (int(blocks) < result.blocks_per_sm) result = {int(blocks), 0, name};
  };
  limit(std::uint32_t(gpu.max_blocks_per_sm), "blocks");
  limit(warps_by_registers / warps, "registers");
  if (shared_per_block) limit(gpu.shared_per_sm / shared_per_block, "shared memory");
  result.warps_per_sm = result.blocks_per_sm * int(warps);
  return result;
}

Estimate estimate(const Gpu& gpu, const exec::KernelFacts& kernel, const exec::Launch& launch,
                  const exec::LaunchResult& result, double footprint_bytes) {
  const Counters& c = result.counters;
  const double blocks = product(launch.grid);
  const auto block_threads = static_cast<std::uint32_t>(product(launch.block));
  const double warps = blocks * std::ceil(block_threads / double(kWarp));
  const Occupancy fit = occupancy(gpu, kernel.registers,
                                  kernel.static_shared_bytes + launch.dynamic_shared_bytes, block_threads);
  const double resident_blocks = std::max(1, fit.blocks_per_sm);

  // The busiest SM has ceil(blocks / SMs) of the blocks: its share of everything that SMs do.
  const double share = std::ceil(blocks / gpu.sms) / blocks;
  const double clock = gpu.clock_ghz;  // clocks per ns

  const double issue = c.inst_executed * share / gpu.issue_per_clock / clock;

  // L1 and shared memory are one pipe: passes over the banks, and 128 bytes of global sectors per pass.
  const double global_requests = double(c.global_load_requests + c.global_store_requests);
  const double global_sectors = double(c.global_load_sectors + c.global_store_sectors);
  const double wavefronts =
      double(c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_requests) +
      std::max(global_requests, global_sectors / 4);
  const double pipe = wavefronts * share / gpu.wavefronts_per_clock / clock;

  // Every sector is fetched once from DRAM; of the repeated ones some hit L1, the others go to L2. Stores and
  // atomics pass L1 by. A bandwidth is only reached when enough SMs ask for it.
  const double loads = c.global_load_sectors * kSector;
  const double stores = (c.global_store_sectors + c.global_atomic_sectors) * kSector;
  const double footprint = footprint_bytes > 0 ? footprint_bytes : loads + stores;
  const double first_loads = std::min(loads, footprint);
  const double first_stores = std::min(stores, footprint);
  const double l2_bytes = first_loads + (loads - first_loads) * (1 - kL1HitsOfReloads) + stores;
  const double reach = std::min(1.0, blocks / (gpu.sms * 0.5));
  const double l2 = l2_bytes / (gpu.l2_gb_per_s * reach);
  const double dram_bytes = first_loads + first_stores;
  const double written = first_stores / std::max(dram_bytes, 1.0);  // 0: reads only, 0.5: a copy
  const double bandwidth =
      std::lerp(gpu.dram_read_gb_per_s, gpu.dram_copy_gb_per_s, std::min(1.0, 2 * written));
  const double dram = dram_bytes / (bandwidth * reach);

  // One warp by itself: arithmetic in sequence, and loads in batches, a batch as slow as its slowest load.
  const double misses = first_loads / kSector / std::max<double>(1, c.global_load_requests);
  const double batch_miss = std::min(1.0, misses * kLoadsInFlight);
  const double batch_clocks = gpu.l1_clocks + batch_miss * (gpu.dram_clocks - gpu.l1_clocks);
  const double memory_clocks = (c.global_load_requests / kLoadsInFlight) * batch_clocks +
                               c.shared_load_requests * gpu.l1_clocks / kLoadsInFlight +
                               c.barriers * gpu.barrier_clocks + c.global_atomic_requests * gpu.l1_clocks;
  const double average_warp = (c.inst_executed * gpu.dependent_clocks + memory_clocks) / std::max(warps, 1.0);
  const double longest_warp = average_warp * std::max(1.0, result.max_warp_instructions * warps /
                                                               std::max<double>(1, c.inst_executed));
  const double waves = std::ceil(blocks / (gpu.sms * resident_blocks));
  const double latency = std::max(longest_warp, average_warp * waves) / clock;

  const double atomics = result.same_address_atomics / gpu.atomics_per_clock / clock;

  const std::array<Estimate, 6> bounds{{{issue, "issue"},
                                        {pipe, "shared wavefronts"},
                                        {l2, "L2"},
                                        {dram, "DRAM"},
                                        {latency, "latency"},
                                        {atomics, "atomics"}}};
  const Estimate slowest = *std::max_element(
      bounds.begin(), bounds.end(), [](const Estimate& a, const Estimate& b) { return a.ns < b.ns; });
  return {gpu.launch_ns + slowest.ns, slowest.ns < gpu.launch_ns ? "launch" : slowest.bound};
}

}  // namespace sim::model
