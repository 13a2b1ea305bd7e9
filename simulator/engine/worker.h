// What one host thread needs to run blocks: counters, caches of memory accesses, execution counts.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "simulator/decode/code.h"
#include "simulator/engine/access/site.h"
#include "simulator/engine/launch.h"

namespace sim::exec {

class Observer;
class TimelineRecorder;

/// Memory in cache lines of its own: what one host thread counts, another's counts must not lie beside.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::size_t kLine = 64;
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) {
    const std::size_t bytes = (n * sizeof(T) + kLine - 1) / kLine * kLine;
    return static_cast<T*>(::operator new(bytes, std::align_val_t(kLine)));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(kLine)); }
  bool operator==(const CacheLineAllocator&) const = default;
};

/// Counts per basic block, from which counts per instruction and per source line follow.
struct Visits {
  u64 warps = 0;
  u64 lanes = 0;
};

constexpr std::size_t kLongestTrace = 4096;

struct alignas(64) Worker {
  Worker(const Code& code, const Launch& launch, memory::AddressSpace& space)
      : code(code),
        launch(launch),
        space(space),
        sites(code.sites.size()),
        visits(code.blocks.size()),
        observer(launch.observer) {
    for (std::size_t i = 0; i < sites.size(); ++i) {
      sites[i].narrowed = code.sites[i].narrowed;
      sites[i].weight = !code.sites[i].counts ? 0u : std::max<u32>(1, sites[i].narrowed.count);
      sites[i].counted_bytes = code.sites[i].counted_bytes;
      sites[i].warp_aggregation = code.sites[i].warp_aggregation;
      sites[i].keeps_steps = launch.trace;
    }
  }

  /// Before the block that is sampled first: has it learn all of its patterns itself.
  void forget_patterns() {
    for (Site& site : sites) {
      site.retire_pattern();
      site.pattern.mask = 0;
    }
  }
  void end_samples() {
    for (const u32 site : sampling) {
      sites[site].add_to_sample();
      sites[site].sampling = false;
    }
    sampling.clear();
  }

  const Code& code;
  const Launch& launch;
  memory::AddressSpace& space;
  Counters counters;
  BulkUse bulk;
  std::vector<Site> sites;
  std::vector<u32> sampling;  ///< sites whose sampled block still runs
  std::vector<Visits, CacheLineAllocator<Visits>> visits;
  Observer* observer = nullptr;
  bool concurrent = false;  ///< other host threads run blocks of this launch
  u64 writes = 0;  ///< stores that others see, atomics that changed something: without one it only waits
  u64 longest_warp = 0;                        ///< most clocks (rough ones) of one warp
  u64 slowest_warps = 0;                       ///< clocks of every block's slowest warp, added up
  u64 clocks = 0;                              ///< of all warps
  std::vector<std::pair<u32, Mask>> trace;     ///< basic blocks that the traced warp ran
  std::shared_ptr<TimelineRecorder> recorder;  ///< of the cluster with the grid's middle block; mostly null
  std::vector<u32> same_line_atomics = std::vector<u32>(
      4096);             ///< by hash of 512 bytes of memory: lanes that updated some, those of floats twice
  u64 atomic_lanes = 0;  ///< each once
};

}  // namespace sim::exec
