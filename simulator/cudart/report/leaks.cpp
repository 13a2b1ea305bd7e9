#include "simulator/cudart/report/leaks.h"

#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/report/wording/source_names.h"

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
    finding.space = allocation->kind == memory::Kind::pinned ? MemorySpace::host : MemorySpace::global;
    finding.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(allocation->size, ~std::uint32_t{0}));
    finding.message = Message("{} bytes ({}) are never freed.", allocation->size, allocation->name());
    finding.cure = {Cure::free_at_end,
                    {allocation->kind == memory::Kind::pinned ? "cudaFreeHost()" : "cudaFree()"}};
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
  for (Finding& finding : findings)
    for (Message::Operand& operand : finding.message.operands()) {
      auto* const named = std::get_if<AllocationName>(&operand);
      const auto place = named == nullptr ? places().by_base.end() : places().by_base.find(named->base);
      if (place == places().by_base.end()) continue;
      if (writes_report()) {  // whoever reads it looks the line up
        named->host_frames = frames_of(place->second);
      } else if (auto line = line_of(place->second)) {
        set_line(*named, std::move(line->file), line->line);
      }
    }
}

}  // namespace sim::cudart
