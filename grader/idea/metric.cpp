#include "grader/idea/metric.h"

#include <algorithm>
#include <iterator>

#include "simulator/report/kernel_record.h"

namespace ladder::idea {
namespace {

using M = Metric;

// docs/ideas.md has the same lines; a test holds them together.
constexpr MetricInfo kMetrics[] = {
    {M::launches, "launches", "kernel launches"},
    {M::kernels, "kernels", "different kernels launched"},
    {M::threads, "threads", "threads of all launches"},
    {M::grid_blocks, "grid_blocks", "blocks of the launch that takes longest"},
    {M::block_threads, "block_threads", "threads of one of its blocks"},
    {M::mean_block_threads, "mean_block_threads",
     "threads of a block, on average over the blocks of all launches"},
    {M::resident_warps, "resident_warps",
     "warps of it that an SM holds, by its registers, shared memory and block size"},
    {M::registers, "registers", "registers of one of its threads, estimated"},
    {M::shared_bytes, "shared_bytes", "shared memory of one of its blocks, static and dynamic"},
    {M::load_sectors, "load_sectors", "32-byte sectors a request, of all loads from global memory"},
    {M::store_sectors, "store_sectors", "32-byte sectors a request, of all stores to global memory"},
    {M::load_excess, "load_excess",
     "sectors over the fewest that hold the bytes asked for, of the line whose loads from global memory are "
     "worst"},
    {M::store_excess, "store_excess", "the same of stores to global memory"},
    {M::load_bytes, "load_bytes",
     "bytes a lane asks for in a request, on average over loads from global memory"},
    {M::store_bytes, "store_bytes", "the same of stores to global memory"},
    {M::traffic, "traffic", "bytes of all sectors loaded and stored, over those that the contract needs"},
    {M::load_traffic, "load_traffic", "bytes of all sectors loaded, over those that the contract needs"},
    {M::stores_per_kib, "stores_per_kib",
     "requests to store to global memory for each 1024 bytes that the contract needs"},
    {M::loads_per_wait, "loads_per_wait",
     "requests to load from global memory for each time that a warp has to wait for one: how many are under "
     "way "
     "together"},
    {M::waits, "waits", "times that a warp has to wait for a load from global memory"},
    {M::floats_per_load, "floats_per_load",
     "operations in single precision, of threads, for each byte of the sectors loaded"},
    {M::local_traffic, "local_traffic",
     "bytes of sectors of local memory for each thread: spills and arrays"},
    {M::shared_load_excess, "shared_load_excess",
     "wavefronts over the fewest that hold the bytes asked for, of the line whose loads from shared memory "
     "are worst"},
    {M::shared_store_excess, "shared_store_excess", "the same of stores to shared memory"},
    {M::shared_load_bytes, "shared_load_bytes",
     "bytes a lane asks for in a request, on average over loads from shared memory"},
    {M::shared_store_bytes, "shared_store_bytes", "the same of stores to shared memory"},
    {M::shared_loads, "shared_loads", "requests to load from shared memory, for each warp"},
    {M::shared_load_wavefronts, "shared_load_wavefronts",
     "wavefronts of a request to load from shared memory, on average"},
    {M::floats_per_shared_load, "floats_per_shared_load",
     "operations in single precision for each wavefront of loads from shared memory, both of warps"},
    {M::products_per_shared_load, "products_per_shared_load",
     "multiplications of matrix instructions for each wavefront of loads from shared memory"},
    {M::lanes_at_work, "lanes_at_work", "lanes of 32 that take part in an instruction, on average"},
    {M::divergent_branches, "divergent_branches", "branches whose lanes part, for each warp"},
    {M::branches, "branches", "branches, for each warp"},
    {M::barriers, "barriers", "barriers of a block that a warp comes to, __syncwarp() not among them"},
    {M::global_atomics, "global_atomics", "atomic requests to global memory, for each warp"},
    {M::shared_atomics, "shared_atomics", "atomic requests to shared memory, for each warp"},
    {M::shared_atomic_wavefronts, "shared_atomic_wavefronts",
     "wavefronts of an atomic request to shared memory, on average"},
    {M::shared_atomic_warps, "shared_atomic_warps",
     "warps of a block that update one word of shared memory by atomics, on average over the words"},
    {M::atomic_turns, "atomic_turns",
     "atomic updates of global memory that wait for each other at the place that has most of them"},
    {M::doubles, "doubles", "operations in double precision, for each warp"},
    {M::specials, "specials", "reciprocals, roots, powers, sines and the like, for each warp"},
    {M::textures, "textures", "texture fetches, for each warp"},
    {M::instructions_per_kib, "instructions_per_kib",
     "warp instructions for each 1024 bytes that the contract needs"},
    {M::instructions, "instructions", "warp instructions of the classes named in `of`, for each warp"},
    {M::places, "places",
     "different instructions of the classes named in `of` that ran, in the kernel that has most of them"},
    {M::calls, "calls",
     "calls of the CUDA runtime's functions named in `of`, those that prepare the data included"},
    {M::modelled_us, "modelled_us", "modelled time, microseconds"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kMetrics); ++i)
    if (static_cast<std::size_t>(kMetrics[i].metric) != i) return false;
  return std::size(kMetrics) == static_cast<std::size_t>(M::modelled_us) + 1;
}
static_assert(in_order());

}  // namespace

std::span<const MetricInfo> metrics() { return kMetrics; }

const char* to_string(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)].name; }

std::optional<Metric> metric_from(std::string_view name) {
  for (const MetricInfo& info : kMetrics)
    if (name == info.name) return info.metric;
  return std::nullopt;
}

std::vector<std::string> instruction_classes() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sim::InstructionClass::count); ++i)
    names.emplace_back(to_string(static_cast<sim::InstructionClass>(i)));
  return names;
}

bool wants_of(Metric metric) {
  return metric == Metric::instructions || metric == Metric::places || metric == Metric::calls;
}

}  // namespace ladder::idea
