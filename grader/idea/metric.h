// What an idea may be told by. The list is closed: lesson.toml can name no other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::idea {

enum class Metric : std::uint8_t {
  // Launches
  launches,
  kernels,
  threads,
  grid_blocks,
  block_threads,
  mean_block_threads,
  resident_warps,
  registers,
  shared_bytes,
  // Global memory
  load_sectors,
  store_sectors,
  load_excess,
  store_excess,
  load_bytes,
  store_bytes,
  traffic,
  load_traffic,
  stores_per_kib,
  loads_per_wait,
  waits,
  floats_per_load,
  local_traffic,
  // Shared memory
  shared_load_excess,
  shared_store_excess,
  shared_load_bytes,
  shared_store_bytes,
  shared_loads,
  shared_load_wavefronts,
  floats_per_shared_load,
  products_per_shared_load,
  // Work and waiting
  lanes_at_work,
  divergent_branches,
  branches,
  barriers,
  global_atomics,
  shared_atomics,
  shared_atomic_wavefronts,
  shared_atomic_warps,
  atomic_turns,
  doubles,
  specials,
  textures,
  instructions_per_kib,
  instructions,
  places,
  // The call as a whole
  calls,
  modelled_us,
};

/// A metric, its name in lesson.toml and what it counts.
struct MetricInfo {
  Metric metric;
  const char* name;
  const char* definition;
};
/// All of them, in the order of the enum.
std::span<const MetricInfo> metrics();

const char* to_string(Metric metric);
/// The metric of that name, if there is one.
std::optional<Metric> metric_from(std::string_view name);
/// What `of` may name where the metric is `instructions` or `places`.
std::vector<std::string> instruction_classes();
/// Whether it wants to be told of what (`of`): instructions, places and calls.
bool wants_of(Metric metric);

}  // namespace ladder::idea
