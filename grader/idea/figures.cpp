#include "grader/idea/figures.h"

#include <algorithm>
#include <set>

#include "grader/idea/accesses.h"
#include "simulator/model/gpu.h"
#include "simulator/model/occupancy.h"

namespace ladder::idea {
namespace {

using sim::AccessKind;
using sim::InstructionClass;
using sim::MemorySpace;

double product(const sim::Index3& extents) {
  return static_cast<double>(extents[0]) * extents[1] * extents[2];
}

double float_operations(const Figures& f) { return number(f.mix[InstructionClass::float_operation]); }

double resident_warps(const sim::KernelRecord& kernel) {
  return sim::model::occupancy(sim::model::selected_gpu(), kernel.model.registers, kernel.model.shared_bytes,
                               static_cast<std::uint32_t>(product(kernel.block)))
      .warps_per_sm;
}

double kernels_by_name(const Figures& f) {
  std::set<std::string> names;
  for (const sim::KernelRecord& kernel : f.kernels) names.insert(kernel.name);
  return static_cast<double>(names.size());
}

double instructions(const std::vector<std::string>& of, const sim::InstructionMix& mix) {
  double count = 0;
  for (std::size_t i = 0; i < mix.counts.size(); ++i)
    if (std::find(of.begin(), of.end(), to_string(static_cast<InstructionClass>(i))) != of.end())
      count += number(mix.counts[i]);
  return count;
}

double places(const std::vector<std::string>& of, const Figures& f) {
  double most = 0;
  for (const sim::KernelRecord& kernel : f.kernels) most = std::max(most, instructions(of, kernel.places));
  return most;
}

double calls(const std::vector<std::string>& of, const Figures& f) {
  double count = 0;
  if (f.calls == nullptr) return 0;
  for (const std::string& name : of)
    if (const auto known = f.calls->find(name); known != f.calls->end()) count += number(known->second);
  return count;
}

/// Of the launch that takes longest.
double of_longest(Metric metric, const Figures& f) {
  if (f.longest == nullptr) return 0;
  const sim::KernelRecord& kernel = *f.longest;
  if (metric == Metric::grid_blocks) return product(kernel.grid);
  if (metric == Metric::block_threads) return product(kernel.block);
  if (metric == Metric::resident_warps) return resident_warps(kernel);
  return metric == Metric::registers ? kernel.model.registers : kernel.model.shared_bytes;
}

/// The metrics that are about no access and no line.
double plain_value(const Condition& condition, const Figures& f) {
  const sim::Counters& c = f.counters;
  switch (condition.metric) {
    case Metric::launches:
      return static_cast<double>(f.kernels.size());
    case Metric::kernels:
      return kernels_by_name(f);
    case Metric::threads:
      return f.threads;
    case Metric::mean_block_threads:
      return over(f.threads, f.blocks);
    case Metric::traffic:
      return over(32 * number(c.global_load_sectors + c.global_store_sectors), f.useful_bytes);
    case Metric::load_traffic:
      return over(32 * number(c.global_load_sectors), f.useful_bytes);
    case Metric::waits:
      return over(f.global_waits, f.warps);
    case Metric::floats_per_load:
      return over(32 * float_operations(f), 32 * number(c.global_load_sectors));
    case Metric::local_traffic:
      return over(32 * number(c.local_load_sectors + c.local_store_sectors), f.threads);
    case Metric::shared_loads:
      return over(number(c.shared_load_requests), f.warps);
    case Metric::floats_per_shared_load:
      return over(float_operations(f), number(c.shared_load_wavefronts));
    case Metric::products_per_shared_load:
      return over(f.tensor_macs, number(c.shared_load_wavefronts));
    case Metric::divergent_branches:
      return over(number(c.divergent_branches), f.warps);
    case Metric::branches:
      return over(number(c.branches), f.warps);
    case Metric::barriers:
      return over(number(c.barriers), f.warps);
    case Metric::shared_atomic_warps:
      return over(number(c.shared_atomic_word_warps), number(c.shared_atomic_words));
    case Metric::atomic_turns:
      return f.atomic_turns;
    case Metric::doubles:
      return over(f.doubles, f.warps);
    case Metric::specials:
      return over(f.specials, f.warps);
    case Metric::textures:
      return over(f.textures, f.warps);
    case Metric::instructions_per_kib:
      return over(number(c.inst_executed), f.useful_bytes / 1024);
    case Metric::instructions:
      return over(instructions(condition.of, f.mix), f.warps);
    case Metric::places:
      return places(condition.of, f);
    case Metric::calls:
      return calls(condition.of, f);
    case Metric::modelled_us:
      return f.modelled_us;
    default:
      return of_longest(condition.metric, f);
  }
}

}  // namespace

Figures figures_of(const Verdict& verdict) {
  Figures f;
  f.kernels = verdict.kernels;
  f.calls = &verdict.calls;
  for (const sim::KernelRecord& kernel : verdict.kernels) {
    if (f.longest == nullptr || kernel.modelled_ns > f.longest->modelled_ns) f.longest = &kernel;
    const double blocks = product(kernel.grid), threads = product(kernel.block);
    f.counters += kernel.counters;
    f.mix.add(kernel.instructions, 1);
    f.blocks += blocks;
    f.threads += blocks * threads;
    f.warps += blocks * static_cast<double>((static_cast<std::uint64_t>(threads) + 31) / 32);
    f.global_waits += number(kernel.model.global_waits);
    f.tensor_macs += number(kernel.model.tensor_macs);
    f.doubles += number(kernel.model.doubles);
    f.specials += number(kernel.model.specials);
    f.textures += number(kernel.model.textures);
    f.atomic_turns += number(kernel.model.same_address_atomics);
  }
  if (!verdict.timing) return f;
  f.modelled_us = 1e3 * verdict.timing->median_ms;
  f.useful_bytes = 1e6 * verdict.timing->gigabytes_per_s * verdict.timing->median_ms;
  return f;
}

Value value_of(const Condition& condition, const Figures& f) {
  constexpr MemorySpace kGlobal = MemorySpace::global, kShared = MemorySpace::shared;
  constexpr AccessKind kRead = AccessKind::read, kWrite = AccessKind::write, kAtomic = AccessKind::atomic;
  const sim::Counters& c = f.counters;
  switch (condition.metric) {
    case Metric::load_sectors:
      return at_busiest(f, over(number(c.global_load_sectors), number(c.global_load_requests)), kGlobal,
                        kRead);
    case Metric::store_sectors:
      return at_busiest(f, over(number(c.global_store_sectors), number(c.global_store_requests)), kGlobal,
                        kWrite);
    case Metric::load_excess:
      return excess(f, kGlobal, kRead);
    case Metric::store_excess:
      return excess(f, kGlobal, kWrite);
    case Metric::load_bytes:
      return width(f, kGlobal, kRead);
    case Metric::store_bytes:
      return width(f, kGlobal, kWrite);
    case Metric::stores_per_kib:
      return at_busiest(f, over(number(c.global_store_requests), f.useful_bytes / 1024), kGlobal, kWrite);
    case Metric::loads_per_wait:
      return at_busiest(f, over(number(c.global_load_requests), f.global_waits), kGlobal, kRead);
    case Metric::shared_load_excess:
      return excess(f, kShared, kRead);
    case Metric::shared_store_excess:
      return excess(f, kShared, kWrite);
    case Metric::shared_load_bytes:
      return width(f, kShared, kRead);
    case Metric::shared_store_bytes:
      return width(f, kShared, kWrite);
    case Metric::shared_load_wavefronts:
      return at_busiest(f, over(number(c.shared_load_wavefronts), number(c.shared_load_requests)), kShared,
                        kRead);
    case Metric::global_atomics:
      return at_busiest(f, over(number(c.global_atomic_requests), f.warps), kGlobal, kAtomic);
    case Metric::shared_atomics:
      return at_busiest(f, over(number(c.shared_atomic_requests), f.warps), kShared, kAtomic);
    case Metric::shared_atomic_wavefronts:
      return at_busiest(f, over(number(c.shared_atomic_wavefronts), number(c.shared_atomic_requests)),
                        kShared, kAtomic);
    case Metric::lanes_at_work:
      return lanes(f);
    default:
      return {plain_value(condition, f), {}, 0, 0, 0};
  }
}

}  // namespace ladder::idea
