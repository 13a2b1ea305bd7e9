#include "simulator/model/bounds.h"

#include <algorithm>
#include <cmath>

namespace sim::model {
namespace {

constexpr double kSectorBytes = 32, kPassBytes = 128;

double product(const Index3& extent) { return double(extent[0]) * extent[1] * extent[2]; }

/// Every byte of the buffers comes once from DRAM. Of repeated sector reads L1 serves a share, or all where
/// the buffers fit into what shared memory leaves of it, but none of bulk copies. Stores and atomics go to
/// L2.
Traffic traffic_of(const exec::LaunchResult& result, double l1_bytes, const Tuning& tuning) {
  const Counters& c = result.counters;
  Traffic t;
  t.loads = double(c.global_load_sectors) * kSectorBytes;
  t.stores = double(c.global_store_sectors + c.global_atomic_sectors) * kSectorBytes;
  t.first_loads = std::min(t.loads, result.read_footprint);
  t.first_stores = std::min(t.stores, result.written_footprint);
  const double past_l1 = double(result.bulk.load_sectors) * kSectorBytes / std::max(t.loads, kSectorBytes);
  t.l1_hit_share = (result.read_footprint <= l1_bytes ? 1 : tuning.l1_hits) * (1 - past_l1);
  t.l2_loads = t.first_loads + (t.loads - t.first_loads) * (1 - t.l1_hit_share);
  t.rewritten = std::max(0.0, double(c.global_store_sectors) * kSectorBytes - t.first_stores);
  t.partial_line_share =
      double(result.partial_line_load_sectors) * kSectorBytes / std::max(t.loads, kSectorBytes);
  return t;
}

double l2_ns(const BoundInputs& in) {
  const Traffic& t = in.traffic;
  const double bytes = t.l2_loads + t.stores + in.tuning.partial_store * t.rewritten;
  const double partial =
      t.partial_line_share * t.l2_loads + double(in.result.partial_line_store_sectors) * kSectorBytes;
  return (bytes - partial) / in.gpu.l2_gb_per_s +
         partial / kSectorBytes / in.gpu.l2_partial_line_sectors_per_ns;
}

/// Single sectors of a line take longer to read; stores of single sectors are put together in L2.
double dram_ns(const BoundInputs& in) {
  const Traffic& t = in.traffic;
  const double bytes = t.first_loads + t.first_stores;
  const double written = t.first_stores / std::max(bytes, 1.0);  // 0: reads only, 0.5: a copy
  const double rate =
      std::lerp(in.gpu.dram_read_gb_per_s, in.gpu.dram_copy_gb_per_s, std::min(1.0, 2 * written));
  const double partial = t.partial_line_share * t.first_loads;
  return (bytes - partial) / rate + partial / kSectorBytes / in.gpu.dram_partial_line_sectors_per_ns;
}

}  // namespace

double load_clocks(const BoundInputs& in) {
  const Traffic& t = in.traffic;
  const double requests = std::max<double>(1, double(in.result.counters.global_load_requests));
  const double together = requests / std::max<double>(1, double(in.result.cost.critical_path.global));
  const double missing = std::min(1.0, t.first_loads / std::max(t.loads, kSectorBytes) * together);
  const double hit = std::lerp(in.gpu.l2_clocks, in.gpu.l1_clocks, t.l1_hit_share);
  return std::lerp(hit, in.gpu.dram_clocks, missing);
}

namespace {

/// Clocks of the longest chain of dependent instructions of an average warp, running alone.
double chain_clocks(const BoundInputs& in) {
  const Gpu& gpu = in.gpu;
  const exec::CriticalPath& waits = in.result.cost.critical_path;
  const double barrier = gpu.barrier_clocks + gpu.barrier_warp_clocks * in.warps_per_block;
  return (double(waits.global) * load_clocks(in) + double(waits.shared) * gpu.shared_clocks +
          double(waits.arithmetic) * gpu.dependent_clocks + double(waits.atomics) * gpu.l2_clocks +
          double(in.result.counters.barriers) * barrier) /
         std::max(in.blocks * in.warps_per_block, 1.0);
}

/// Clocks that an average block waits for bulk copies into its shared memory: of those under way together
/// each waits for its share.
double bulk_wait_clocks(const BoundInputs& in) {
  const exec::BulkUse& bulk = in.result.bulk;
  if (in.gpu.bulk_clocks == 0 || bulk.phases == 0) return 0;
  const double lines = double(bulk.load_lines) / double(bulk.phases);
  const double one = in.gpu.bulk_clocks + lines / in.gpu.bulk_lines_per_clock;
  return double(bulk.waits) / exec::BulkUse::kWait * one / in.blocks;
}

}  // namespace

BoundInputs::BoundInputs(const Gpu& of, const exec::KernelFacts& kernel, const exec::Launch& launch,
                         const exec::LaunchResult& cost, const Tuning& fitted)
    : gpu(of), result(cost), tuning(fitted), blocks(product(launch.grid)) {
  const auto block_threads = static_cast<std::uint32_t>(product(launch.block));
  const std::uint32_t shared_bytes = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
  warps_per_block = std::ceil(block_threads / double(kWarpThreads));
  occupancy = model::occupancy(gpu, kernel.registers, shared_bytes, block_threads);
  busiest_sm_share = std::ceil(blocks / gpu.sms) / blocks;
  issue_clocks = double(result.cost.sass_instructions) * tuning.clocks_per_sass_instruction;
  const double l1_bytes = double(gpu.shared_per_sm) - occupancy.blocks_per_sm * double(shared_bytes);
  traffic = traffic_of(result, l1_bytes, tuning);
}

Estimate issue_bound(const BoundInputs& in) {
  return {in.issue_clocks * in.busiest_sm_share / in.gpu.issue_per_clock / in.gpu.clock_ghz, "issue"};
}

Estimate unit_bound(const BoundInputs& in, std::uint64_t uses, double per_clock, const char* unit) {
  return {double(uses) * in.busiest_sm_share / per_clock / in.gpu.clock_ghz, unit};
}

Estimate wgmma_bound(const BoundInputs& in) {
  const exec::UnitUse& units = in.result.cost.units;
  if (units.wgmma_macs == 0) return {0, "tensor cores"};
  const double passes = double(units.wgmma_bytes) / kPassBytes;
  const Estimate multiplying = unit_bound(in, units.wgmma_macs, in.gpu.wgmma_macs_per_clock, "tensor cores");
  const Estimate reading{passes * in.busiest_sm_share / in.gpu.wavefronts_per_clock / in.gpu.clock_ghz,
                         "shared wavefronts"};
  return reading.ns > multiplying.ns ? reading : multiplying;
}

Estimate bulk_bound(const BoundInputs& in) {
  const exec::BulkUse& bulk = in.result.bulk;
  if (in.gpu.bulk_clocks == 0) return {0, "bulk copies"};
  const double loads = double(bulk.load_lines) * in.busiest_sm_share / in.gpu.bulk_lines_per_clock;
  const double stored = double(bulk.store_bytes);
  const double stores = std::max(stored * in.busiest_sm_share / in.gpu.bulk_store_bytes_per_clock,
                                 stored / in.gpu.bulk_store_gpu_bytes_per_clock);
  return {std::max(loads, stores) / in.gpu.clock_ghz, "bulk copies"};
}

Estimate l1_pipe_bound(const BoundInputs& in) {
  const Counters& c = in.result.counters;
  const exec::BulkUse& bulk = in.result.bulk;  // passes L1 by
  const double requests = double(c.global_load_requests + c.global_store_requests) - double(bulk.requests);
  const double past_l1 = double(bulk.load_sectors) + double(bulk.store_bytes) / kSectorBytes;
  const double local_sectors = double(c.local_load_sectors + c.local_store_sectors);
  const double sectors = double(c.global_load_sectors + c.global_store_sectors) + local_sectors - past_l1;
  const double in_shared =
      double(c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts);
  const double in_l1 = std::max({0.0, requests, sectors / in.gpu.l1_sectors_per_clock});
  return {(in_shared + in_l1) * in.busiest_sm_share / in.gpu.wavefronts_per_clock / in.gpu.clock_ghz,
          in_shared < in_l1 ? "L1" : "shared wavefronts"};
}

Estimate memory_bound(const BoundInputs& in) {
  const double l2 = l2_ns(in), dram = dram_ns(in);
  return l2 > dram ? Estimate{l2, "L2"} : Estimate{dram, "DRAM"};
}

Estimate peer_bound(const BoundInputs& in) { return {in.result.peer_bytes / in.gpu.peer_gb_per_s, "NVLink"}; }

Estimate latency_bound(const BoundInputs& in) {
  const Gpu& gpu = in.gpu;
  const exec::LaunchResult& r = in.result;
  const double chain = chain_clocks(in), bulk = bulk_wait_clocks(in);
  // At a barrier a block waits for the instructions of all its warps, besides the chain of its slowest.
  const double in_step = r.counters.barriers > 0 ? in.issue_clocks / in.blocks / gpu.issue_per_clock : 0;
  // A block that looks back over 32 blocks before it: as many loads, one after the other, as its lanes need.
  const double looking_back = r.chain_lanes > 0 ? std::ceil(kWarpThreads / r.chain_lanes) * gpu.l2_clocks : 0;
  const double longest_warp = chain * r.longest_warp + bulk + gpu.start_clocks;
  const double block = chain * r.slowest_warp + in_step + looking_back + bulk + gpu.start_clocks;
  // Each of the places on an SM runs one block after the other.
  const double waves = std::ceil(in.blocks / (gpu.sms * std::max(1, in.occupancy.blocks_per_sm)));
  return {std::max(longest_warp, block * waves) / gpu.clock_ghz, "latency"};
}

Estimate look_back_bound(const BoundInputs& in) {
  const bool looks_back = in.result.chain_lanes > 0;
  return {looks_back ? in.blocks * in.gpu.handover_ns / kWarpThreads : 0, "latency"};
}

Estimate atomic_bound(const BoundInputs& in) {
  return {double(in.result.same_address_atomics) * in.gpu.atomic_ns, "atomics"};
}

}  // namespace sim::model
