#include "simulator/lens/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "language/catalogue.h"
#include "simulator/lens/picture.h"
#include "simulator/model/occupancy.h"

namespace sim::lens {
namespace {

constexpr double kWorthTelling = 0.15;  ///< of the modelled time, wasted

std::string access_sentence(const AccessRecord& a, int line) {
  const double cost = cost_per_request(a), ideal = ideal_per_request(a);
  const std::string where = tr("{}, line {}", pattern_in_words(a), line);
  if (a.access == AccessKind::atomic)
    return tr("{} turns per atomic where {} would do: {}", number(cost), number(ideal), where);
  if (a.space == MemorySpace::shared)
    return tr("{} wavefronts per request where {} would do (bank conflicts): {}", number(cost), number(ideal),
              where);
  return tr("{} sectors per request where {} would do: {}", number(cost), number(ideal), where);
}

/// A proposal: what the launch could do without, and the words for it.
struct Reason {
  double wasted_ns = 0;
  const LineRecord* line = nullptr;
  std::string sentence;
};

/// Few lanes at work, where instructions are what takes time.
Reason divergence(const KernelRecord& k, const LineRecord& line, double share) {
  if (k.bound != "issue" && k.bound != "latency") return {};
  if (line.inst_executed == 0 || k.block[0] * k.block[1] * k.block[2] < 32) return {};  // no others wait
  if (!line.file.ends_with(".cu")) return {};  // of a header's functions, who calls them is not known here
  const double lanes = double(line.thread_inst_executed) / double(line.inst_executed);
  if (lanes > 24) return {};
  return {k.modelled_ns * share * (1 - lanes / 32), &line,
          tr("{} of 32 lanes at work on average, line {}: the others have left the loop, or wait "
             "until their branch comes",
             number(lanes), line.line)};
}

/// Neighbouring lanes that move a byte or two each: as many requests as with sixteen, for a
/// part of the bytes.
Reason narrow(const KernelRecord& k, const LineRecord& line, const AccessRecord& a, double part) {
  if (a.space != MemorySpace::global || a.access == AccessKind::atomic || a.bytes > 2 || k.bound == "DRAM" ||
      k.bound == "atomics")
    return {};
  if (pattern_of(a).kind != AccessPattern::Kind::neighbouring) return {};
  return {
      k.modelled_ns * part * (1 - a.bytes / 16.0), &line,
      a.access == AccessKind::read
          ? tr("{} byte{} a lane and request where 16 would do: {} times as many loads as need be, line {}",
               a.bytes, a.bytes == 1 ? "" : "s", 16 / a.bytes, line.line)
          : tr("{} byte{} a lane and request where 16 would do: {} times as many stores as need be, line {}",
               a.bytes, a.bytes == 1 ? "" : "s", 16 / a.bytes, line.line)};
}

/// Arrays of a thread's own that do not fit registers.
Reason spills(const KernelRecord& k, const LineRecord& line, const AccessRecord& a, double part) {
  if (a.space != MemorySpace::local) return {};
  return {
      k.modelled_ns * part, &line,
      tr("{} sectors of local memory, line {}: an array of each thread's own that is indexed by a variable "
         "lies in memory, not in registers",
         a.cost, line.line)};
}

/// Updates that wait for each other, where they are what takes time.
Reason contention(const KernelRecord& k, const LineRecord& line, const AccessRecord& a) {
  if (k.bound != "atomics" || a.access != AccessKind::atomic || a.space != MemorySpace::global) return {};
  const double turns = double(k.model.same_address_atomics),
               all = double(std::max<std::uint64_t>(1, k.counters.global_atomic_sectors));
  return {k.modelled_ns * double(a.cost) / all, &line,
          tr("atomic updates of the same address are done one after the other, which takes {:.0f} % "
             "of the time, most of them at line {}",
             std::min(100.0, 100 * turns * model::selected_gpu().atomic_ns / k.modelled_ns), line.line)};
}

/// Fewer warps than it takes to hide the wait for memory, where waiting is what takes time.
/// @param last  of several launches: a single block there takes in the results of the blocks before
Reason idle(const KernelRecord& k, const LineRecord& line, bool last) {
  if (k.bound != "latency") return {};
  const model::Gpu& gpu = model::selected_gpu();
  const std::uint32_t threads = k.block[0] * k.block[1] * k.block[2];
  const model::Occupancy fit = model::occupancy(gpu, k.model.registers, k.model.shared_bytes, threads);
  const double blocks = double(k.grid[0]) * k.grid[1] * k.grid[2];
  const double warps = std::min<double>(fit.warps_per_sm, blocks * ((threads + 31) / 32) / gpu.sms);
  const double most = gpu.max_threads_per_sm / 32.0;
  if (warps > most / 3) return {};
  if (last && blocks == 1)
    return {k.modelled_ns * (1 - warps / most), &line,
            tr("the last launch has one block, whose {} threads take in all partial results at line "
               "{}: with fewer partial results, from fewer blocks in the launch before, it takes "
               "less time",
               threads, line.line)};
  const bool small = warps < fit.warps_per_sm;
  return {k.modelled_ns * (1 - warps / most), &line,
          tr("{} on an SM where {:.0f} fit, too few to hide the wait at line {}: {}",
             warps < 1 ? tr("less than one warp") : tr("{} warps", number(warps)), most, line.line,
             small ? tr("the grid is too small") : tr("{} allow no more", tr(fit.limiter)))};
}

}  // namespace

std::string number(double value) {
  return std::abs(value - std::round(value)) < 0.05 ? fmt::format("{:.0f}", value)
                                                    : fmt::format("{:.1f}", value);
}

std::optional<Explanation> explain(const std::vector<KernelRecord>& kernels) {
  double total = 0;
  for (const KernelRecord& k : kernels) total += k.modelled_ns;
  Reason worst;
  const auto propose = [&](Reason reason) {
    if (reason.line == nullptr || reason.wasted_ns < kWorthTelling * total) return;
    if (reason.wasted_ns > worst.wasted_ns) worst = std::move(reason);
  };
  for (const KernelRecord& k : kernels) {
    const std::vector<double> share = shares(k);
    for (std::size_t i = 0; i < k.lines.size(); ++i) {
      const LineRecord& line = k.lines[i];
      double of_line = 0;
      for (const AccessRecord& a : line.accesses) of_line += double(a.cost);
      for (const SimilarAccesses& all : similar_accesses(line)) {  // an unrolled loop's accesses together
        AccessRecord a = *all.shown;
        a.requests = all.requests;
        a.cost = all.cost;
        const double cost = cost_per_request(a), ideal = ideal_per_request(a);
        if (of_line == 0) continue;
        const double part = share[i] * double(a.cost) / of_line;
        propose(contention(k, line, a));
        propose(spills(k, line, a, part));
        if (a.sample.mask == 0) continue;
        propose(narrow(k, line, a, part));
        if (cost >= 1.5 * ideal)
          propose({k.modelled_ns * part * (1 - ideal / cost), &line, access_sentence(a, line.line)});
      }
      propose(divergence(k, line, share[i]));
    }
    if (worst.line != nullptr || k.lines.empty()) continue;
    const auto hottest = std::max_element(share.begin(), share.end()) - share.begin();
    propose(idle(k, k.lines[std::size_t(hottest)], kernels.size() > 1 && &k == &kernels.back()));
  }
  if (worst.line == nullptr) return {};
  return Explanation{worst.line->file, worst.line->line, std::move(worst.sentence)};
}

}  // namespace sim::lens
