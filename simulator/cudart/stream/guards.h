// Memory that host and device share, guarded while work under way uses it: the host's access that comes too
// early is caught by the page protection, told, and let through.
#pragma once

#include <string>
#include <vector>

#include "language/catalogue.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/stream/stream_races.h"

namespace sim::cudart {

/// An access that was recorded.
struct PastAccess {
  MemoryAccess access;
  std::uint64_t stream, count;  ///< which operation of which stream
  std::string what;
  HostBacktrace place;  ///< where the program asked for it
  bool is_launch() const { return what.starts_with("kernel "); }
  std::string in_words() const { return is_launch() ? tr("kernel {}", what.substr(7)) : what; }
};

/// Accesses to managed and page-locked memory that the host has not waited for.
std::vector<PastAccess> unfinished_accesses_to_host_memory();

/// Whole pages that the host may not touch, or may only read, until its next call.
struct GuardedPages {
  std::uint64_t first, end;
  std::uint32_t readable;
};

/// Where the program is another process, it guards the pages itself: it asks for them after each call, and
/// tells what it caught before the next. From then on nothing is guarded here.
void guard_elsewhere();
/// What is guarded now.
std::vector<GuardedPages> guarded_pages();
/// The program has touched a guarded address.
void note_touch(std::uint64_t address, bool writes);

/// While the runtime works it may touch all memory. Made at the entry of every call.
class GuardsLifted {
 public:
  GuardsLifted();
  GuardsLifted(const GuardsLifted&) = delete;
  GuardsLifted& operator=(const GuardsLifted&) = delete;
  ~GuardsLifted();
};

}  // namespace sim::cudart
