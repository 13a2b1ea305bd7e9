#include "simulator/cudart/stream/guards.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/cudart/report/set_place.h"
#include "simulator/cudart/stream/deferred_work.h"
#include "simulator/memory/arena.h"
#include "simulator/memory/host_fault.h"

namespace sim::cudart {
namespace {

using memory::kPage;

/// Whole pages that are guarded.
struct PageGuard {
  std::uint64_t first, end;
  PastAccess past;
  bool reported = false;
  int protection() const { return past.access.writes ? PROT_NONE : PROT_READ; }
};

/// Neighbouring guards of one protection: a program may have hundreds of pieces of an array under way, and a
/// call of the kernel for each piece, twice in every call of the program, takes longer than all else.
struct PageRange {
  std::uint64_t first, end;
  int protection;
};

/// An access of the host that a guard caught; made a finding at the next call.
struct Caught {
  PastAccess past;
  std::uint64_t address;
  bool writes;
  HostBacktrace place;
};

struct Guarded {
  int depth = 0;
  std::vector<PageGuard> guards;
  std::vector<PageRange> ranges;  ///< all that is guarded
  std::vector<Caught> caught;
  std::vector<std::uint64_t> reported;  ///< first bytes of accesses
  struct sigaction before {};
  bool installed = false;
  bool elsewhere = false;  ///< the program guards the pages
};

Guarded& guarded() {
  static Guarded& only = *new Guarded;
  return only;
}

void protect(std::uint64_t first, std::uint64_t end, int how) {
  if (!guarded().elsewhere) mprotect(reinterpret_cast<void*>(first), end - first, how);
}

/// Readers first: where one also writes, that is what counts.
void protect_all() {
  Guarded& s = guarded();
  std::sort(s.guards.begin(), s.guards.end(), [](const PageGuard& a, const PageGuard& b) {
    return std::tuple(a.past.access.writes, a.first) < std::tuple(b.past.access.writes, b.first);
  });
  s.ranges.clear();
  for (const PageGuard& g : s.guards) {
    if (!s.ranges.empty() && s.ranges.back().protection == g.protection() && g.first <= s.ranges.back().end)
      s.ranges.back().end = std::max(s.ranges.back().end, g.end);
    else
      s.ranges.push_back({g.first, g.end, g.protection()});
  }
  for (const PageRange& r : s.ranges) protect(r.first, r.end, r.protection);
}

/// Lets an access through, and notes it where it is the first.
/// @param instruction  that made it, null where it is not known
/// @return whether the address was guarded
bool let_through(std::uint64_t address, bool wrote, void* instruction) {
  Guarded& s = guarded();
  bool ours = false;
  for (PageGuard& g : s.guards) {
    if (address < g.first || address >= g.end) continue;
    ours = true;
    protect(g.first, g.end, PROT_READ | PROT_WRITE);
    if (g.reported) continue;
    g.reported = true;
    s.reported.push_back(g.past.access.address);
    const bool writes = wrote || !g.past.access.writes;  // reads beside reads are let through
    Caught caught{g.past, address, writes, {}};
    if (instruction != nullptr) {
      caught.place = host_backtrace();
      auto& frames = caught.place.addresses;
      std::copy_backward(frames.begin(), frames.end() - 1, frames.end());
      frames[0] = instruction;
      caught.place.size = std::min<int>(caught.place.size + 1, int(frames.size()));
    }
    s.caught.push_back(caught);
  }
  return ours;
}

/// A fault at an instruction of the program: no lock of ours or of the allocator is held there.
void on_fault(int signal, siginfo_t* info, void* context) {
  Guarded& s = guarded();
  if (let_through(reinterpret_cast<std::uint64_t>(info->si_addr), fault_wrote(context).value_or(false),
                  fault_instruction(context)))
    return;
  sigaction(signal, &s.before, nullptr);  // not ours: what would have happened happens when it is tried again
}

void install() {
  Guarded& s = guarded();
  if (s.installed || s.elsewhere) return;
  s.installed = true;
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &s.before);
}

void report_caught() {
  for (const Caught& c : guarded().caught) {
    const memory::Allocation* a = device().space.find(c.address);
    if (a == nullptr) continue;
    const bool managed = a->kind == memory::Kind::managed;
    Finding f;
    f.kind = FindingKind::race;
    f.space = managed ? MemorySpace::global : MemorySpace::host;
    f.access = c.writes ? AccessKind::write : AccessKind::read;
    f.in_buffer = BufferBytes{c.address - a->base, a->name()};
    OtherParty other{
        .access = c.past.access.writes ? AccessKind::write : AccessKind::read, .host_frames = {}, .file = {}};
    set_place(other, c.past.place, c.past.is_launch());
    f.message = Message(
        "The host {} {} while {}{}, which {} it, may still be under way on the GPU: "
        "nothing has waited for that.",
        c.writes ? tr("writes") : tr("reads"), operand_of(f), c.past.in_words(),
        writes_report() || other.line > 0 ? Message(" ({})", OtherLine{}) : Message(),
        c.past.access.writes ? tr("writes") : tr("reads"));
    f.cure = Cure::wait_before_host_access;
    if (c.past.is_launch()) f.kernel = c.past.what.substr(7);
    set_place(f, c.place, false);
    f.other = std::move(other);
    device().findings.push_back(std::move(f));
  }
  guarded().caught.clear();
}

/// Pages of which the host can touch nothing else.
void guard(const PastAccess& past) {
  const memory::Allocation& a = *device().space.find(past.access.address);
  const std::uint64_t end = past.access.address + past.access.bytes;
  PageGuard g{(past.access.address + kPage - 1) / kPage * kPage, end / kPage * kPage, past};
  if (past.access.address == a.base) g.first = a.base / kPage * kPage;
  if (end == a.base + a.size) g.end = (end + kPage - 1) / kPage * kPage;
  const auto& reported = guarded().reported;
  if (g.first >= g.end || std::find(reported.begin(), reported.end(), past.access.address) != reported.end())
    return;
  guarded().guards.push_back(std::move(g));
}

[[gnu::destructor]] void tell_at_exit() {
  const GuardsLifted lifted;
  flush_report(device());
}

}  // namespace

void guard_elsewhere() { guarded().elsewhere = true; }

std::vector<GuardedPages> guarded_pages() {
  std::vector<GuardedPages> pages;
  for (const PageRange& r : guarded().ranges)
    pages.push_back({r.first, r.end, r.protection == PROT_READ ? 1u : 0u});
  return pages;
}

void note_touch(std::uint64_t address, bool writes) { (void)let_through(address, writes, nullptr); }

GuardsLifted::GuardsLifted() {
  Guarded& s = guarded();
  if (s.depth++ > 0) return;
  for (const PageRange& r : s.ranges) protect(r.first, r.end, PROT_READ | PROT_WRITE);
  s.guards.clear();
  s.ranges.clear();
  if (!s.caught.empty()) report_caught();
}

GuardsLifted::~GuardsLifted() {
  Guarded& s = guarded();
  // A kernel that waits for the host is told by what the host writes: and it reads beside it.
  if (--s.depth > 0 || any_pending()) return;
  const std::vector<PastAccess> all = unfinished_accesses_to_host_memory();
  if (all.empty()) {
    s.reported.clear();
    return;
  }
  install();
  for (const PastAccess& past : all) guard(past);
  protect_all();
}

}  // namespace sim::cudart
