#include "simulator/findings/ledger.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "simulator/exec/fault.h"

namespace sim::findings {

namespace {

const char* kind_name(Sighting::Kind kind) {
  switch (kind) {
    case Sighting::Kind::race:
    case Sighting::Kind::pending_copy:
      return "race";
    case Sighting::Kind::uninitialized:
      return "uninitialized";
    case Sighting::Kind::outside_variable:
      return "out-of-bounds";
    case Sighting::Kind::barrier:
      return "barrier";
    case Sighting::Kind::mask:
      return "mask";
  }
  return "";
}

}  // namespace

Finding& Ledger::add(const Sighting& s, const Warp& w, const Instr& in, int lane) {
  index_[s.key()] = entries_.size();
  Finding& f = entries_.emplace_back(Entry{s, {}}).finding;
  f.kind = kind_name(s.kind);
  f.kernel = plan_.code().kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, lane);
  locate(f, w, in);
  return f;
}

void Ledger::add(const Fault& fault) {
  for (Entry& e : entries_) {
    const Finding& f = e.finding;
    if (f.kind == fault.finding.kind && f.line == fault.finding.line && f.access == fault.finding.access) {
      ++e.finding.count;
      return;
    }
  }
  entries_.push_back({{}, fault.finding});
}

std::vector<Finding> Ledger::take() {
  // A read that came too early is a race when somebody writes the word later: one mistake, one finding.
  std::set<u32> raced, between_warps;
  for (const Entry& e : entries_) {
    if (e.finding.kind != "race" || e.finding.severity != "error") continue;
    for (const u32 at : {e.sighting.at, e.sighting.other_at}) {
      raced.insert(at);
      if (e.sighting.reach > 0) between_warps.insert(at);
    }
  }
  // What the whole block shares, a barrier of a warp does not mend.
  for (Entry& e : entries_)
    if (e.finding.kind == "race" && e.finding.space == "shared" && e.sighting.reach == 0 &&
        (between_warps.contains(e.sighting.at) || between_warps.contains(e.sighting.other_at)))
      e.finding.cure = kBlockCure;
  // Of sightings that are folded, the one told is that of the threads furthest apart: its cure serves the
  // others.
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.sighting.reach > b.sighting.reach; });
  std::vector<Finding> all;
  const auto same_lines = [](const Finding& f, const Finding& g) {
    if (f.other.has_value() != g.other.has_value()) return false;
    if (!f.other) return f.file == g.file && f.line == g.line;
    const auto at = [](const Finding& a) { return std::pair(a.file, a.line); };
    const auto other = [](const Finding& a) { return std::pair(a.other->file, a.other->line); };
    const bool swapped = f.kind == "race" && at(f) == other(g) && other(f) == at(g);
    return swapped || (at(f) == at(g) && other(f) == other(g));
  };
  for (Entry& e : entries_) {
    const Finding& f = e.finding;
    if (f.kind == "uninitialized" && f.space != "local" && raced.contains(e.sighting.at)) continue;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Finding& g) {
      return f.line != 0 && g.kind == f.kind && g.space == f.space && g.severity == f.severity &&
             same_lines(f, g);
    });
    if (same != all.end()) {
      same->count += f.count;
    } else {
      all.push_back(f);
    }
  }
  return all;
}

Ledger::Line Ledger::line_of(u32 instruction) const {
  Finding at;
  const Code& code = plan_.code();
  if (instruction >= code.sources.size()) return {};
  locate(at, *code.module, *code.sources[instruction]);
  return ptx::is_toolkit_file(at.file) ? Line{} : Line{at.file, at.line};
}

std::vector<Ledger::Line> Ledger::lines_of(u32 instruction) const {
  if (const Line line = line_of(instruction); line.line > 0) return {line};
  const Code& code = plan_.code();
  const auto function_of = [&](u32 at) {  // functions lie one behind the other
    u32 found = 0;
    for (u32 f = 0; f < code.functions.size(); ++f)
      if (const u32 first = code.blocks[code.functions[f].entry].first;
          first <= at && first >= code.blocks[code.functions[found].entry].first)
        found = f;
    return found;
  };
  std::set<Line> lines;
  std::vector<u32> callees = {function_of(instruction)};
  for (std::size_t k = 0; k < callees.size(); ++k) {  // callers that are the toolkit's as well are added
    for (u32 at = 0; at < code.instructions.size(); ++at) {
      const u32 site = code.instructions[at].site;
      if (code.sources[at]->opcode != "call" || site >= code.calls.size() ||
          code.calls[site]->function != int(callees[k]))
        continue;
      const u32 caller = function_of(at);
      if (const Line line = line_of(at); line.line > 0)
        lines.insert(line);
      else if (std::find(callees.begin(), callees.end(), caller) == callees.end())
        callees.push_back(caller);
    }
  }
  return {lines.begin(), lines.end()};
}

Index3 Ledger::thread_of(u32 thread) const {
  const auto& b = launch_.block;
  return {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1]};
}

Index3 Ledger::block_of(u32 index) const {
  const auto& g = launch_.grid;
  return {index % g[0], index / g[0] % g[1], index / g[0] / g[1]};
}

std::string source_name(const std::string& mangled) {
  int status = -1;
  char* text =
      mangled.starts_with("_Z") ? abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status) : nullptr;
  std::string name = status == 0 && text != nullptr ? text : mangled;
  std::free(text);
  if (const auto at = name.rfind("::"); at != name.npos) name = name.substr(at + 2);
  return name;
}

std::string shared_name(const Code& code, u32 offset, u32 bytes) {
  const SharedVariable* found = nullptr;
  for (const SharedVariable& v : code.shared) {
    if (offset < v.offset || (v.size != 0 && offset - v.offset >= v.size)) continue;
    if (found == nullptr || v.offset >= found->offset) found = &v;
  }
  if (found == nullptr) return "";
  const std::string name = source_name(found->name);
  if (found->size == bytes) return name;
  return fmt::format("{}[{}]", name, (offset - found->offset) / std::max(bytes, 1u));
}

}  // namespace sim::findings
