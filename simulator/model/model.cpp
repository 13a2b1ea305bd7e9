#include "simulator/model/model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sim::model {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kSchedulers = 4;  // of an SM
constexpr double kSector = 32;            // bytes

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
                  const exec::LaunchResult& result, const Tuning& t) {
  const Counters& c = result.counters;
  const double blocks = product(launch.grid);
  const auto block_threads = static_cast<std::uint32_t>(product(launch.block));
  const double warps_per_block = std::ceil(block_threads / double(kWarp));
  const double warps = blocks * warps_per_block;
  const std::uint32_t shared_bytes = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
  const Occupancy fit = occupancy(gpu, kernel.registers, shared_bytes, block_threads);
  // The busiest SM has ceil(blocks / SMs) of the blocks: its share of everything that SMs do.
  const double share = std::ceil(blocks / gpu.sms) / blocks;
  const double clock = gpu.clock_ghz;  // clocks per ns

  const double sass_instructions = double(result.cost.sass_instructions) * t.clocks_per_sass_instruction;
  const double issue = sass_instructions * share / gpu.issue_per_clock / clock;
  // Units with fewer lanes than the rest.
  const exec::UnitUse& units = result.cost.units;
  const auto on_unit = [&](std::uint64_t uses, double per_clock) {
    return double(uses) * share / per_clock / clock;
  };
  const double doubles = on_unit(units.doubles, gpu.doubles_per_clock);
  const double specials = on_unit(units.specials, gpu.specials_per_clock);
  const double textures = on_unit(units.textures, gpu.textures_per_clock);
  const double tensor = on_unit(units.tensor_macs, gpu.tensor_macs_per_clock);

  // L1 and shared memory are one pipe: passes over the banks, and sectors of global and local memory.
  const double loads_and_stores = double(c.global_load_requests + c.global_store_requests);
  const double local = double(c.local_load_sectors + c.local_store_sectors);
  const double sectors = double(c.global_load_sectors + c.global_store_sectors) + local;
  const double in_shared =
      double(c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts);
  const double in_l1 = std::max(loads_and_stores, sectors / gpu.l1_sectors_per_clock);
  const Estimate pipe{(in_shared + in_l1) * share / gpu.wavefronts_per_clock / clock,
                      in_shared < in_l1 ? "L1" : "shared wavefronts"};

  // Every byte comes once from DRAM, as far as the buffers reach; of repeated sectors some hit L1, the others
  // go to L2. Stores and atomics pass L1 by, and sectors written in part cost more.
  const double loads = double(c.global_load_sectors) * kSector;
  const double stores = double(c.global_store_sectors + c.global_atomic_sectors) * kSector;
  const double first_loads = std::min(loads, result.read_footprint);
  const double first_stores = std::min(stores, result.written_footprint);
  const double in_part = std::max(0.0, double(c.global_store_sectors) * kSector - first_stores);
  // What fits beside the blocks' shared memory stays in L1.
  const double l1_bytes = double(gpu.shared_per_sm) - fit.blocks_per_sm * double(shared_bytes);
  const double l1_hits = result.read_footprint <= l1_bytes ? 1 : t.l1_hits;
  const double l2_loads = first_loads + (loads - first_loads) * (1 - l1_hits);
  const double l2_bytes = l2_loads + stores + t.partial_store * in_part;
  const double partial_loads =
      double(result.partial_line_load_sectors) * kSector / std::max(loads, kSector);  // share of them
  const double l2_partial = partial_loads * l2_loads + double(result.partial_line_store_sectors) * kSector;
  const double l2 =
      ((l2_bytes - l2_partial) / gpu.l2_gb_per_s + l2_partial / kSector / gpu.l2_partial_line_sectors_per_ns);
  const double dram_bytes = first_loads + first_stores;
  const double written = first_stores / std::max(dram_bytes, 1.0);  // 0: reads only, 0.5: a copy
  const double dram_rate =
      std::lerp(gpu.dram_read_gb_per_s, gpu.dram_copy_gb_per_s, std::min(1.0, 2 * written));
  // Sectors read one here, one there take longer; those written so are put together in L2.
  const double dram_partial = partial_loads * first_loads;
  const double dram = ((dram_bytes - dram_partial) / dram_rate +
                       dram_partial / kSector / gpu.dram_partial_line_sectors_per_ns);

  // One warp by itself: its longest chain of instructions, and loads as slow as the slowest of those that are
  // under way together. Each of the places on an SM runs one warp after the other.
  const exec::ChainOfWaits& waits = result.cost.waits;
  const double requests = std::max<double>(1, double(c.global_load_requests));
  const double together = requests / std::max<double>(1, double(waits.global));
  const double missing = std::min(1.0, first_loads / std::max(loads, kSector) * together);
  const double barrier_clocks = gpu.barrier_clocks + gpu.barrier_warp_clocks * warps_per_block;
  const double waves = std::ceil(blocks / (gpu.sms * std::max(1, fit.blocks_per_sm)));
  // At a barrier a block waits for the instructions of all its warps, besides the chain of its slowest.
  const double in_step = c.barriers > 0 ? sass_instructions / blocks / gpu.issue_per_clock : 0;
  // A block that looks back over 32 blocks before it: as many loads, one after the other, as its lanes need.
  const double looking_back =
      result.chain_lanes > 0 ? std::ceil(kWarp / result.chain_lanes) * gpu.l2_clocks : 0;
  const double near = std::lerp(gpu.l2_clocks, gpu.l1_clocks, l1_hits);
  const double warp =
      (double(waits.global) * std::lerp(near, gpu.dram_clocks, missing) +
       double(waits.shared) * gpu.shared_clocks + double(waits.arithmetic) * gpu.dependent_clocks +
       double(waits.atomics) * gpu.l2_clocks + double(c.barriers) * barrier_clocks) /
      std::max(warps, 1.0);
  const double latency =
      std::max(warp * result.longest_warp + gpu.start_clocks,
               (warp * result.slowest_warp + in_step + looking_back + gpu.start_clocks) * waves) /
      clock;

  const double starts = blocks * gpu.block_ns;
  const double chain = result.chain_lanes > 0 ? blocks * gpu.handover_ns / kWarp : 0;  // 32 blocks at a time
  const double atomics = double(result.same_address_atomics) * gpu.atomic_ns;

  const Estimate memory = l2 > dram ? Estimate{l2, "L2"} : Estimate{dram, "DRAM"};  // one behind the other
  const std::array<Estimate, 10> bounds{{{issue, "issue"},
                                         {doubles, "double precision"},
                                         {specials, "special functions"},
                                         {textures, "texture"},
                                         {tensor, "tensor cores"},
                                         pipe,
                                         memory,
                                         {latency, "latency"},
                                         {chain, "latency"},
                                         {atomics, "atomics"}}};
  // What limits overlaps with the rest, though not perfectly: a norm between the sum and the maximum.
  double sum = 0;
  for (const Estimate& e : bounds) sum += std::pow(e.ns, t.overlap);
  const double all = std::max(starts, std::pow(sum, 1 / t.overlap));  // blocks are started beside all that
  const Estimate slowest = *std::max_element(
      bounds.begin(), bounds.end(), [](const Estimate& a, const Estimate& b) { return a.ns < b.ns; });
  const double ns = gpu.launch_ns + all - gpu.start_clocks / clock;  // an empty kernel, too, starts a block
  return {ns, all < gpu.launch_ns || all == starts ? "launch" : slowest.bound};
}

}  // namespace sim::model
