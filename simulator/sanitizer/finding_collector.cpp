#include "simulator/sanitizer/finding_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "language/catalogue.h"
#include "simulator/engine/fault.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

namespace {

FindingKind kind_of(FindingKey::Kind kind) {
  switch (kind) {
    case FindingKey::Kind::race:
    case FindingKey::Kind::pending_copy:
    case FindingKey::Kind::unstarted_block:
    case FindingKey::Kind::unfenced_proxy:
    case FindingKey::Kind::pending_register:
    case FindingKey::Kind::unready_mbarrier:
      return FindingKind::race;
    case FindingKey::Kind::ended_block:
      return FindingKind::use_after_free;
    case FindingKey::Kind::uninitialized:
      return FindingKind::uninitialized;
    case FindingKey::Kind::outside_variable:
      return FindingKind::out_of_bounds;
    case FindingKey::Kind::missed_phase:
    case FindingKey::Kind::spare_arrival:
    case FindingKey::Kind::barrier:
      return FindingKind::barrier;
    case FindingKey::Kind::descriptor:
      return FindingKind::descriptor;
    case FindingKey::Kind::register_budget:
    case FindingKey::Kind::mask:
      return FindingKind::mask;
  }
  return FindingKind::unsupported;
}

/// The variable or the buffer that is accessed.
std::string object_of(const Finding& f) { return f.in_buffer ? f.in_buffer->buffer.origin : variable_of(f); }

using SourcePlace = std::pair<std::string, int>;

/// A place of a race, and the other one.
struct PlaceOfRace {
  SourcePlace here, there;
  /// What one barrier mends: all races of a store, and those of a read with stores that stand before it, or
  /// behind it. Which of two accesses came first says little, for warps run ahead of each other.
  enum class Side { store, read_behind_stores, read_before_stores } side;
  auto key() const { return std::tuple(here, side); }
};

/// The places of a race, stores first.
std::vector<PlaceOfRace> places_of(const Finding& f) {
  const SourcePlace here{f.file, f.line}, there{f.other->file, f.other->line};
  std::vector<PlaceOfRace> places;
  const auto add = [&](bool reads, const SourcePlace& one, const SourcePlace& other) {
    places.push_back({one, other,
                      !reads        ? PlaceOfRace::Side::store
                      : other < one ? PlaceOfRace::Side::read_behind_stores
                                    : PlaceOfRace::Side::read_before_stores});
  };
  const bool reads = f.access == AccessKind::read, other_reads = f.other->access == AccessKind::read;
  if (!reads) add(false, here, there);
  if (!other_reads) add(false, there, here);
  if (reads) add(true, here, there);
  if (other_reads) add(true, there, here);
  return places;
}

/// A store that races with accesses at many lines, such as those of a stencil, wants one barrier, and so does
/// a read of 16 bytes that races with the stores to its parts: the first of these races stands for all.
std::vector<Finding> one_for_each_barrier(std::vector<Finding> all) {
  using Place = std::tuple<SourcePlace, PlaceOfRace::Side>;
  std::map<std::tuple<MemorySpace, std::string, Cure::Kind, Place>, std::size_t> known;
  std::vector<Finding> kept;
  std::vector<std::set<int>> lines;  ///< of the others, by finding
  for (Finding& f : all) {
    const bool counts = f.kind == FindingKind::race && f.severity == Severity::error && f.other &&
                        f.line > 0 && (f.in_buffer || !f.symbol.empty());
    std::size_t at = kept.size();
    const std::vector<PlaceOfRace> places = counts ? places_of(f) : std::vector<PlaceOfRace>{};
    // A copy that has to be waited for is no matter of barriers.
    const auto key_of = [&](const PlaceOfRace& place) {
      const Cure::Kind cure = f.cure.kind;
      const bool copy =
          cure == Cure::wait_for_copy || cure == Cure::commit_copies || cure == Cure::wait_for_copies_at_end;
      return std::tuple(f.space, object_of(f), copy ? cure : Cure::block_barrier, place.key());
    };
    bool by_its_read = false;
    for (const PlaceOfRace& place : places)
      if (const auto before = known.find(key_of(place)); before != known.end()) {
        at = before->second;
        by_its_read = place.side != PlaceOfRace::Side::store;
        if (place.there.first == place.here.first) lines[at].insert(place.there.second);
        break;
      }
    // What a store of many races with is not taken for the same mistake in its turn.
    if (!by_its_read)
      for (const PlaceOfRace& place : places)
        if (at == kept.size() || place.side == PlaceOfRace::Side::store) known.try_emplace(key_of(place), at);
    if (at < kept.size()) {
      kept[at].count += f.count;
    } else {
      kept.push_back(std::move(f));
      lines.emplace_back();
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::string list;
    for (const int line : lines[i])
      list += (list.empty() ? "" : *lines[i].rbegin() == line ? tr(" and ") : ", ") + std::to_string(line);
    if (!list.empty())
      kept[i].message += Message(" The same goes for line{} {}.", lines[i].size() > 1 ? "s" : "", list);
  }
  return kept;
}

}  // namespace

Finding& FindingCollector::add(const FindingKey& s, const Warp& w, const Instr& in, int lane) {
  index_[s.fields()] = entries_.size();
  Finding& f = entries_.emplace_back(Entry{s, {}}).finding;
  f.kind = kind_of(s.kind);
  f.kernel = analysis_.code().kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, lane);
  locate(f, w, in);
  if (Wrappers::wants_wrapper(analysis_.code().source_of(in)))
    locate(f, analysis_.wrappers().line_of(w.frame, analysis_.code().index_of(in)));
  return f;
}

void FindingCollector::add(const Fault& fault) {
  for (Entry& e : entries_) {
    const Finding& f = e.finding;
    if (f.kind == fault.finding.kind && f.line == fault.finding.line && f.access == fault.finding.access &&
        f.nth == fault.finding.nth && variable_of(f) == variable_of(fault.finding)) {
      ++e.finding.count;
      return;
    }
  }
  entries_.push_back({{}, fault.finding});
}

std::vector<Finding> FindingCollector::take() {
  // A read that came too early is a race when somebody writes the word later: one mistake, one finding.
  std::set<u32> raced, between_warps;
  std::set<std::string> shared_by_warps;
  for (const Entry& e : entries_) {
    if (e.finding.kind != FindingKind::race || e.finding.severity != Severity::error) continue;
    if (e.key.reach > 0 && e.finding.space == MemorySpace::shared)
      shared_by_warps.insert(variable_of(e.finding));
    for (const u32 at : {e.key.at, e.key.other_at}) {
      raced.insert(at);
      if (e.key.reach > 0) between_warps.insert(at);
    }
  }
  // What the whole block shares, a barrier of a warp does not mend.
  for (Entry& e : entries_)
    if (e.finding.kind == FindingKind::race && e.finding.space == MemorySpace::shared && e.key.reach == 0 &&
        (between_warps.contains(e.key.at) || between_warps.contains(e.key.other_at) ||
         shared_by_warps.contains(variable_of(e.finding))))
      e.finding.cure = Cure::block_barrier;
  // Of findings that are folded, the one kept is that of the threads furthest apart: its cure serves the
  // others.
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.key.reach > b.key.reach; });
  std::vector<Finding> all;
  const auto in_toolkit = [](const Finding& f) { return ptx::is_toolkit_file(f.file); };
  const auto same_lines = [&](const Finding& f, const Finding& g) {
    if (f.kind == FindingKind::race && f.severity == Severity::note && in_toolkit(f) && in_toolkit(g))
      return true;
    if (f.other.has_value() != g.other.has_value()) return false;
    if (!f.other) return f.file == g.file && f.line == g.line;
    const auto at = [](const Finding& a) { return std::pair(a.file, a.line); };
    const auto other = [](const Finding& a) { return std::pair(a.other->file, a.other->line); };
    const bool swapped = f.kind == FindingKind::race && at(f) == other(g) && other(f) == at(g);
    return swapped || (at(f) == at(g) && other(f) == other(g));
  };
  for (Entry& e : entries_) {
    const Finding& f = e.finding;
    if (f.kind == FindingKind::uninitialized && f.space != MemorySpace::local && raced.contains(e.key.at))
      continue;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Finding& g) {
      // Two accesses of one line are two findings where each by itself is wrong.
      const bool alone = !f.other;
      return f.line != 0 && g.kind == f.kind && g.space == f.space && g.severity == f.severity &&
             (!alone || (g.access == f.access && g.nth == f.nth && variable_of(g) == variable_of(f))) &&
             same_lines(f, g);
    });
    if (same != all.end()) {
      same->count += f.count;
    } else {
      all.push_back(f);
    }
  }
  return one_for_each_barrier(std::move(all));
}

FindingCollector::Line FindingCollector::line_of(u32 instruction) const {
  Finding at;
  const Code& code = analysis_.code();
  if (instruction >= code.sources.size()) return {};
  locate(at, *code.module, *code.sources[instruction]);
  return ptx::is_toolkit_file(at.file) ? Line{} : Line{at.file, at.line};
}

std::vector<FindingCollector::Line> FindingCollector::lines_of(u32 instruction) const {
  const Code& code = analysis_.code();
  const bool wrapped = Wrappers::wants_wrapper(*code.sources[instruction]);
  const auto function_of = [&](u32 at) {  // functions lie one behind the other
    u32 found = 0;
    for (u32 f = 0; f < code.functions.size(); ++f)
      if (const u32 first = code.blocks[code.functions[f].entry].first;
          first <= at && first >= code.blocks[code.functions[found].entry].first)
        found = f;
    return found;
  };
  const auto line_at = [&](u32 at) {
    return wrapped ? line_of(at) : exec::line_outside_headers(*code.module, *code.sources[at]);
  };
  const auto passes = [&](u32 at) {  // to the callers
    return wrapped ? analysis_.wrappers().is_wrapper(function_of(at)) : line_at(at).line == 0;
  };
  if (!passes(instruction)) {
    const Line line = wrapped ? analysis_.wrappers().line_of(nullptr, instruction) : line_at(instruction);
    if (line.line > 0) return {line};
  }
  std::set<Line> lines;
  std::vector<u32> callees = {function_of(instruction)};
  for (std::size_t k = 0; k < callees.size(); ++k) {  // callers that are the toolkit's as well are added
    for (u32 at = 0; at < code.instructions.size(); ++at) {
      const u32 site = code.instructions[at].site;
      if (code.sources[at]->opcode != "call" || site >= code.calls.size() ||
          code.calls[site]->function != int(callees[k]))
        continue;
      const u32 caller = function_of(at);
      if (const Line line = line_at(at); line.line > 0 && !(wrapped && passes(at)))
        lines.insert(line);
      else if (std::find(callees.begin(), callees.end(), caller) == callees.end())
        callees.push_back(caller);
    }
  }
  if (const Line own = line_of(instruction); lines.empty() && own.line > 0) return {own};
  return {lines.begin(), lines.end()};
}

Index3 FindingCollector::thread_of(u32 thread) const {
  const auto& b = launch_.block;
  return {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1]};
}

Index3 FindingCollector::block_of(u32 index) const {
  const auto& g = launch_.grid;
  return {index % g[0], index / g[0] % g[1], index / g[0] / g[1]};
}

}  // namespace sim::sanitizer
