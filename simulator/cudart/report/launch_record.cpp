#include "simulator/cudart/report/launch_record.h"

#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/report/sampled_arrays.h"

namespace sim::cudart {
namespace {

ModelInputs model_inputs(const CheckedLaunch& launch, const exec::LaunchResult& result) {
  const exec::CriticalPath& path = result.cost.critical_path;
  const exec::UnitUse& units = result.cost.units;
  return {.registers = launch.facts.registers,
          .shared_bytes = launch.facts.static_shared_bytes + launch.what.dynamic_shared_bytes,
          .read_footprint = result.read_footprint,
          .written_footprint = result.written_footprint,
          .global_waits = path.global,
          .shared_waits = path.shared,
          .atomic_waits = path.atomics,
          .arithmetic_waits = path.arithmetic,
          .sass_instructions = result.cost.sass_instructions,
          .doubles = units.doubles,
          .specials = units.specials,
          .textures = units.textures,
          .tensor_macs = units.tensor_macs,
          .wgmma_macs = units.wgmma_macs,
          .wgmma_bytes = units.wgmma_bytes,
          .bulk_requests = result.bulk.requests,
          .bulk_load_sectors = result.bulk.load_sectors,
          .bulk_load_lines = result.bulk.load_lines,
          .bulk_store_bytes = result.bulk.store_bytes,
          .bulk_phases = result.bulk.phases,
          .bulk_waits = result.bulk.waits,
          .longest_warp = result.longest_warp,
          .slowest_warp = result.slowest_warp,
          .same_address_atomics = result.same_address_atomics,
          .partial_line_load_sectors = result.partial_line_load_sectors,
          .partial_line_store_sectors = result.partial_line_store_sectors,
          .chain_lanes = result.chain_lanes};
}

}  // namespace

KernelRecord launch_record(const CheckedLaunch& launch, exec::LaunchResult& result,
                           const model::Estimate& time, double migration_ns) {
  KernelRecord record;
  record.name = launch.shown;
  record.launch = device().launches;
  record.grid = launch.what.grid;
  record.block = launch.what.block;
  record.dynamic_shared_bytes = launch.what.dynamic_shared_bytes;
  record.counters = result.counters;
  record.model = model_inputs(launch, result);
  record.instructions = result.cost.instructions;
  record.places = result.places;
  record.lines = std::move(result.lines);
  if (launch.what.trace) name_arrays(record.lines, launch);
  record.trace = std::move(result.trace);
  record.tiles = result.recording.tiles;
  record.modelled_ns = time.ns + migration_ns;
  record.bound = migration_ns > time.ns ? "migration" : time.bound;
  return record;
}

}  // namespace sim::cudart
