#include "simulator/engine/grid/launch_cost.h"

#include <algorithm>
#include <map>

#include "simulator/engine/access/lines.h"
#include "simulator/engine/grid/round_robin.h"
#include "simulator/engine/timeline/recorder.h"

namespace sim::exec {
namespace {

using Workers = std::vector<std::unique_ptr<Worker>>;

/// Adds what one site has cost.
void add(Counters& c, SiteInfo::Kind kind, const AccessCount (&counts)[3]) {
  const auto into = [&](CountedSpace where, std::uint64_t& requests, std::uint64_t& cost) {
    requests += counts[u32(where)].requests;
    cost += counts[u32(where)].cost;
  };
  if (kind == SiteInfo::Kind::load) {
    into(CountedSpace::global, c.global_load_requests, c.global_load_sectors);
    into(CountedSpace::shared, c.shared_load_requests, c.shared_load_wavefronts);
    into(CountedSpace::local, c.local_load_requests, c.local_load_sectors);
  } else if (kind == SiteInfo::Kind::store) {
    into(CountedSpace::global, c.global_store_requests, c.global_store_sectors);
    into(CountedSpace::shared, c.shared_store_requests, c.shared_store_wavefronts);
    into(CountedSpace::local, c.local_store_requests, c.local_store_sectors);
  } else {
    into(CountedSpace::global, c.global_atomic_requests, c.global_atomic_sectors);
    into(CountedSpace::shared, c.shared_atomic_requests, c.shared_atomic_wavefronts);
  }
}

/// Whether it may update global or shared memory: as the hardware counts, it passes the pipes of both.
bool is_generic(const ptx::Instruction& in) {
  return !in.has("global") && !in.has("shared") && !in.has("shared::cta") && !in.has("shared::cluster");
}

/// Gathers the last patterns of a worker's sites on the way.
void add_sites(LaunchResult& r, const Code& code, Worker& worker) {
  for (std::size_t s = 0; s < worker.sites.size(); ++s) {
    const SiteInfo& info = code.sites[s];
    worker.sites[s].retire_pattern();
    const auto& counts = worker.sites[s].counts;
    add(r.counters, info.kind, counts);
    if (info.kind == SiteInfo::Kind::atomic && is_generic(*code.sources[info.instruction]))
      r.counters.shared_atomic_wavefronts += counts[u32(CountedSpace::global)].requests;
  }
}

/// How often warps ran a basic block.
/// @param most  of which they are counted, where it polls memory
Visits visits_of(const Code& code, std::size_t b, const Worker& worker, u64 most) {
  const Visits& all = worker.visits[b];
  if (all.warps <= most) return all;
  const auto first = code.sources.begin() + code.blocks[b].first,
             last = code.sources.begin() + code.blocks[b].last;
  if (std::none_of(first, last, [](const ptx::Instruction* in) { return polls_memory(*in); })) return all;
  return {.warps = most, .lanes = u64(double(all.lanes) * double(most) / double(all.warps))};
}

void add_instructions(LaunchResult& r, const Code& code, const Worker& worker, u64 most_polls) {
  for (std::size_t b = 0; b < code.blocks.size(); ++b) {
    const u64 length = code.blocks[b].last - code.blocks[b].first;
    const Visits visits = visits_of(code, b, worker, most_polls);
    r.counters.inst_executed += visits.warps * length;
    r.counters.thread_inst_executed += visits.lanes * length;
    r.cost.add(code.blocks[b].cost, visits.warps);
  }
}

/// Instructions that some worker's warps came to.
InstructionMix places_of(const Code& code, const Workers& workers) {
  InstructionMix places;
  for (std::size_t b = 0; b < code.blocks.size(); ++b)
    if (std::any_of(workers.begin(), workers.end(), [&](const auto& w) { return w->visits[b].warps > 0; }))
      places.add(code.blocks[b].cost.instructions, 1);
  return places;
}

u64 warps_of(const Launch& launch, u64 blocks) {
  const u64 threads = u64(launch.block[0]) * launch.block[1] * launch.block[2];
  return blocks * ((threads + kLanes - 1) / kLanes);
}

/// How much longer the longest warp, and the slowest of each block, take than one does on average.
void compare_warps(LaunchResult& r, const Code& code, const Launch& launch, const Workers& workers,
                   u64 blocks) {
  u64 longest = 0, slowest = 0, clocks = 0;
  for (const auto& w : workers) {
    longest = std::max(longest, w->longest_warp);
    slowest += w->slowest_warps;
    clocks += w->clocks;
  }
  const u64 warps = warps_of(launch, blocks);
  const double average = double(clocks) / double(std::max<u64>(1, warps));
  r.slowest_warp = double(slowest) / double(std::max<u64>(1, blocks)) / std::max(1.0, average);
  // Which of the blocks that wait for each other draws most work from a counter is the host's doing.
  r.longest_warp = code.ordered ? r.slowest_warp : double(longest) / std::max(1.0, average);
}

/// Updates that the hardware serialises: those of the 512 bytes of memory that see most of them.
u64 same_address_atomics(const Workers& workers, u64 atomic_sectors) {
  std::vector<u64> same_line(workers.front()->same_line_atomics.size());
  u64 lanes = 0;
  for (const auto& w : workers) {
    lanes += w->atomic_lanes;
    for (std::size_t i = 0; i < same_line.size(); ++i) same_line[i] += w->same_line_atomics[i];
  }
  const double sectors_a_lane = double(atomic_sectors) / double(std::max<u64>(1, lanes));
  return u64(double(*std::max_element(same_line.begin(), same_line.end())) * sectors_a_lane);
}

/// How many lanes of a warp poll what other blocks store, on average; 0 when none do.
double polling_lanes(const Code& code, const Workers& workers) {
  Visits all;
  for (std::size_t b = 0; b < code.blocks.size(); ++b) {
    for (u32 i = code.blocks[b].first; i < code.blocks[b].last; ++i) {
      if (!polls_memory(*code.sources[i])) continue;
      for (const auto& w : workers) {
        all.warps += w->visits[b].warps;
        all.lanes += w->visits[b].lanes;
      }
    }
  }
  return all.warps == 0 ? 0 : double(all.lanes) / double(all.warps);
}

/// Bytes of the buffers that loads have met, or else stores and atomics.
double footprint(const Code& code, const Workers& workers, bool loads) {
  std::map<u64, u64> buffers;
  for (const auto& w : workers) {
    for (std::size_t s = 0; s < code.sites.size(); ++s) {
      const Site& site = w->sites[s];
      const bool met = site.counts[u32(CountedSpace::global)].requests != 0;
      if (met && (code.sites[s].kind == SiteInfo::Kind::load) == loads) buffers[site.base] = site.size;
    }
  }
  double sum = 0;
  for (const auto& [base, size] : buffers) sum += double(size);
  return sum;
}

/// Bytes moved to and from the memory of other GPUs.
double peer_bytes(const Launch& launch, const memory::AddressSpace& space, const Workers& workers) {
  constexpr double kSectorBytes = 32;
  if (launch.device < 0) return 0;
  double bytes = 0;
  for (const auto& w : workers) {
    for (const Site& site : w->sites) {
      const AccessCount& global = site.counts[u32(CountedSpace::global)];
      const memory::Allocation* buffer = global.requests == 0 ? nullptr : space.find(site.base);
      if (buffer != nullptr && buffer->is_of_other_device(launch.device))
        bytes += double(global.cost) * kSectorBytes;
    }
  }
  return bytes;
}

}  // namespace

LaunchResult launch_cost(const Code& code, const Launch& launch, const memory::AddressSpace& space,
                         const Workers& workers, u64 blocks, bool suspended) {
  LaunchResult r;
  const u64 most_polls = suspended ? warps_of(launch, blocks) : ~u64{0};
  for (const auto& w : workers) {
    r.counters += w->counters;
    r.bulk += w->bulk;
    add_sites(r, code, *w);
    add_instructions(r, code, *w, most_polls);
  }
  if (!suspended) compare_warps(r, code, launch, workers, blocks);
  r.same_address_atomics = same_address_atomics(workers, r.counters.global_atomic_sectors);
  r.places = places_of(code, workers);
  r.lines = lines_of(code, workers);
  r.partial_line_load_sectors = partial_line_sectors(code, workers, SiteInfo::Kind::load);
  r.partial_line_store_sectors = partial_line_sectors(code, workers, SiteInfo::Kind::store);
  if (code.ordered && !launch.cooperative && !suspended) r.chain_lanes = polling_lanes(code, workers);
  r.trace = trace_of(code, workers);
  for (const auto& w : workers)
    if (w->recorder != nullptr) r.recording = w->recorder->recording();
  r.read_footprint = footprint(code, workers, true);
  r.written_footprint = footprint(code, workers, false);
  r.peer_bytes = peer_bytes(launch, space, workers);
  return r;
}

void scale(LaunchResult& result, double factor) {
  result.counters.scale(factor);
  result.cost.scale(factor);
  result.peer_bytes *= factor;
  BulkUse& bulk = result.bulk;
  for (u64* n :
       {&result.same_address_atomics, &result.partial_line_load_sectors, &result.partial_line_store_sectors,
        &bulk.requests, &bulk.load_sectors, &bulk.load_lines, &bulk.store_bytes, &bulk.phases, &bulk.waits})
    *n = u64(double(*n) * factor);
}

}  // namespace sim::exec
