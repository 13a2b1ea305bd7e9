#include "simulator/engine/access/lines.h"

#include <bit>
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

/// One site over all workers.
AccessRecord access_of(const SiteInfo& info, std::size_t site,
                       const std::vector<std::unique_ptr<Worker>>& workers) {
  AccessRecord access;
  access.access = kind_of(info.kind);
  access.bytes = info.counted_bytes != 0 ? info.counted_bytes : info.bytes;
  for (const auto& w : workers) {
    Site& s = w->sites[site];
    s.retire_pattern();
    for (const CountedSpace where : {CountedSpace::global, CountedSpace::shared, CountedSpace::local}) {
      const AccessCount& t = s.counts[u32(where)];
      if (t.requests == 0) continue;
      access.space = space_of(where);
      access.requests += t.requests;
      access.cost += t.cost;
    }
    if (s.sample.uses * s.sample.cost > access.sample.uses * access.sample.cost) access.sample = s.sample;
  }
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

u64 partial_line_sectors(const std::vector<LineRecord>& lines, AccessKind access) {
  u64 partial = 0;
  for (const LineRecord& line : lines) {
    for (const AccessRecord& a : line.accesses) {
      if (a.space != MemorySpace::global || a.access != access || a.sample.mask == 0) continue;
      std::map<s64, u32> touched;  // by line of memory, a bit for each sector
      for (int i = 0; i < kLanes; ++i) {
        if ((a.sample.mask & kLaneBit[std::size_t(i)]) == 0) continue;
        const s64 from = s64(a.sample.first) + a.sample.offset[std::size_t(i)];
        for (s64 b = from / 32; b <= (from + a.bytes - 1) / 32; ++b) touched[b / 4] |= 1u << (b & 3);
      }
      u64 sectors = 0, alone = 0;
      for (const auto& [at, mask] : touched) {
        sectors += u64(std::popcount(mask));
        alone += std::popcount(mask) == 1 ? 1 : 0;
      }
      if (touched.size() > 1) partial += a.cost * alone / sectors;
    }
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
