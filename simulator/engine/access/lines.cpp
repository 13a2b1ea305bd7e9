#include "simulator/engine/access/lines.h"

#include <algorithm>
#include <map>

namespace sim::exec {

namespace {

/// File (an index of the module's) and line of an instruction; of one that the compiler gave none, those of
/// the nearest before it.
std::pair<int, int> place_of(const Code& code, u32 instruction) {
  for (u32 i = instruction + 1; i-- > 0;) {
    const ptx::Location& at = ptx::user_location(*code.module, code.sources[i]->location);
    if (at.line > 0) return {at.file, at.line};
  }
  return {0, 0};
}

MemorySpace space_of(CountedSpace where) {
  return where == CountedSpace::global   ? MemorySpace::global
         : where == CountedSpace::shared ? MemorySpace::shared
                                         : MemorySpace::local;
}
AccessKind kind_of(SiteInfo::Kind kind) {
  return kind == SiteInfo::Kind::load    ? AccessKind::read
         : kind == SiteInfo::Kind::store ? AccessKind::write
                                         : AccessKind::atomic;
}

/// The site of the worker that ran the best example of a block.
const Site& sampled(std::size_t site, const std::vector<std::unique_ptr<Worker>>& workers) {
  const auto best = std::min_element(workers.begin(), workers.end(), [&](const auto& a, const auto& b) {
    return a->sites[site].sampled_rank < b->sites[site].sampled_rank;
  });
  return (*best)->sites[site];
}

/// One site over all workers.
AccessRecord access_of(const SiteInfo& info, std::size_t site,
                       const std::vector<std::unique_ptr<Worker>>& workers) {
  AccessRecord access;
  access.access = kind_of(info.kind);
  access.bytes = info.counted_bytes != 0 ? info.counted_bytes : info.bytes;
  for (const auto& w : workers) {
    const Site& s = w->sites[site];
    for (const CountedSpace where : {CountedSpace::global, CountedSpace::shared, CountedSpace::local}) {
      const AccessCount& t = s.counts[u32(where)];
      if (t.requests == 0) continue;
      access.space = space_of(where);
      access.requests += t.requests;
      access.cost += t.cost;
    }
  }
  const Site& seen = sampled(site, workers);
  access.sample = seen.sample;
  if (seen.steps.size() > 1) access.steps = seen.steps;
  return access;
}

}  // namespace

std::vector<LineRecord> lines_of(const Code& code, const std::vector<std::unique_ptr<Worker>>& workers) {
  std::map<std::pair<int, int>, LineRecord> lines;
  for (std::size_t b = 0; b < code.blocks.size(); ++b) {
    Visits visits;
    for (const auto& w : workers) {
      visits.warps += w->visits[b].warps;
      visits.lanes += w->visits[b].lanes;
    }
    if (visits.warps == 0) continue;
    for (u32 i = code.blocks[b].first; i < code.blocks[b].last; ++i) {
      LineRecord& line = lines[place_of(code, i)];
      line.inst_executed += visits.warps;
      line.thread_inst_executed += visits.lanes;
    }
  }
  for (std::size_t s = 0; s < code.sites.size(); ++s) {
    const AccessRecord access = access_of(code.sites[s], s, workers);
    if (access.requests != 0) lines[place_of(code, code.sites[s].instruction)].accesses.push_back(access);
  }
  std::vector<LineRecord> all;
  for (auto& [place, line] : lines) {
    if (place.first <= 0 || std::size_t(place.first) >= code.module->files.size()) continue;
    line.file = code.module->files[std::size_t(place.first)];
    line.line = place.second;
    all.push_back(std::move(line));
  }
  return all;
}

u64 partial_line_sectors(const Code& code, const std::vector<std::unique_ptr<Worker>>& workers,
                         SiteInfo::Kind kind) {
  u64 partial = 0;
  for (std::size_t s = 0; s < code.sites.size(); ++s) {
    const Site& sample = sampled(s, workers);
    if (code.sites[s].kind != kind || sample.sampled_alone == 0) continue;
    u64 cost = 0;
    for (const auto& w : workers) cost += w->sites[s].counts[u32(CountedSpace::global)].cost;
    partial += u64(double(cost) * double(sample.sampled_alone) / double(sample.sampled_cost));
  }
  return partial;
}

std::vector<TraceStep> trace_of(const Code& code, const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<TraceStep> steps;
  const std::vector<std::string>& files = code.module->files;
  for (const auto& w : workers) {
    for (const auto& [block, mask] : w->trace) {
      for (u32 i = code.blocks[block].first; i < code.blocks[block].last; ++i) {
        const auto [file, line] = place_of(code, i);
        const std::string name = std::size_t(file) < files.size() ? files[std::size_t(file)] : "";
        if (steps.empty() || steps.back().line != line || steps.back().file != name ||
            steps.back().mask != mask)
          steps.push_back({name, line, mask, 0});
        ++steps.back().instructions;
      }
    }
  }
  return steps;
}

}  // namespace sim::exec
