#include "simulator/cudart/report/leaks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/memory/name.h"

namespace sim::cudart {
namespace {

struct Places {
  pid_t process = ::getpid();  ///< a child that was forked off leaves nothing of its own behind
  std::unordered_map<std::uint64_t, HostBacktrace> by_base;
};

Places& places() {
  static auto& only = *new Places;
  return only;
}

bool any_failed() {
  for (int i = 0; i < device_count(); ++i)
    if (device(i).failed()) return true;
  return false;
}

/// Runs after the program's own destructors, which may still free: a library is done later
/// than what needs it.
[[gnu::destructor]] void tell_leaks() {
  if (!writes_report() || places().by_base.empty() || places().process != ::getpid()) return;
  Device& d = device();
  std::lock_guard hold(d.lock);
  if (any_failed()) return;  // on a lost device nothing can be freed
  for (const memory::Allocation* allocation : d.space.live()) {
    const HostBacktrace* const place = allocation_backtrace(*allocation);
    if (place == nullptr || allocation->registered) continue;
    Finding finding;
    finding.kind = FindingKind::leak;
    finding.severity = Severity::note;
    finding.space = allocation->kind == memory::Kind::pinned ? "host" : "global";
    finding.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(allocation->size, ~std::uint32_t{0}));
    finding.message = fmt::format("{} bytes ({}) are never freed.", allocation->size, allocation->origin);
    finding.cure = allocation->kind == memory::Kind::pinned
                       ? "cudaFreeHost() after the last use, on every way out"
                       : "cudaFree() after the last use, on every way out";
    finding.host_frames = frames_of(*place);
    d.findings.push_back(std::move(finding));
  }
  flush_report(d);
}

}  // namespace

void remember_place(const memory::Allocation& allocation) {
  places().by_base[allocation.base] = host_backtrace();
}

const HostBacktrace* allocation_backtrace(const memory::Allocation& allocation) {
  const auto place = places().by_base.find(allocation.base);
  return place != places().by_base.end() ? &place->second : nullptr;
}

void say_where_asked_for(std::vector<Finding>& findings) {
  for (const auto& [base, place] : places().by_base) {
    const memory::Allocation* const a = device().space.find_base(base);
    if (a == nullptr) continue;
    std::optional<SourceLine> line;
    for (Finding& f : findings) {
      std::size_t at = memory::named_at(f.message, a->origin);
      if (at == f.message.npos) continue;
      if (!line) line = line_of(place);
      if (!line) break;
      const std::string where = " of " + place_beside(f, line->file, line->line);
      for (; at != f.message.npos; at = memory::named_at(f.message, a->origin, at + where.size()))
        if (!f.message.substr(at).starts_with(where)) f.message.insert(at, where);
    }
  }
}

std::vector<AskedFor> first_named_in(const std::string& words) {
  static std::set<std::string>& given = *new std::set<std::string>;
  std::vector<AskedFor> named;
  const auto consider = [&](const memory::Allocation& a) {
    if (memory::named_at(words, a.origin) == words.npos || !given.insert(a.origin).second) return;
    const HostBacktrace* const place = allocation_backtrace(a);
    named.push_back({a.origin, a.size, place != nullptr ? frames_of(*place) : std::vector<std::string>{}});
  };
  for (const auto& [base, place] : places().by_base)
    if (const memory::Allocation* a = device().space.find_base(base)) consider(*a);
  for (const memory::Allocation* a : device().space.live())
    if (a->kind == memory::Kind::symbol) consider(*a);
  return named;
}

}  // namespace sim::cudart
