#include "simulator/cudart/stream/stream_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <vector>

#include "language/catalogue.h"
#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/report/open_objects.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/cudart/report/set_place.h"
#include "simulator/cudart/stream/deferred_work.h"
#include "simulator/cudart/stream/guards.h"
#include "simulator/telemetry.h"

namespace sim::cudart {
namespace {

constexpr std::size_t kMostRemembered = 256;  ///< accesses to an allocation

struct StreamRaces {
  StreamVectorClock host;
  std::map<std::uint64_t, std::vector<PastAccess>> past;  ///< by allocation
  std::set<std::tuple<std::string, std::string, std::uint64_t>> reported;
};

StreamRaces& stream_races() {
  static StreamRaces& only = *new StreamRaces;
  return only;
}

void join(StreamVectorClock& into, const StreamVectorClock& other) {
  for (const auto& [stream, count] : other) {
    std::uint64_t& known = into[stream];
    known = std::max(known, count);
  }
}

bool happens_before(const PastAccess& past, const StreamVectorClock& clock) {
  const auto known = clock.find(past.stream);
  return known != clock.end() && known->second >= past.count;
}

/// What a stream's next operation comes after.
StreamVectorClock vector_clock_of_next(CUstream_st& stream) {
  StreamVectorClock all = stream.vector_clock;
  join(all, stream_races().host);
  if (stream.device == nullptr || !stream.blocking) return all;
  CUstream_st& legacy = stream.device->default_stream;
  if (&stream != &legacy) {
    join(all, legacy.vector_clock);
    return all;
  }
  each_stream([&](CUstream_st& other) {
    if (other.blocking && other.device == stream.device) join(all, other.vector_clock);
  });
  return all;
}

AccessKind kind_of(const MemoryAccess& access) {
  return access.atomic ? AccessKind::atomic : access.writes ? AccessKind::write : AccessKind::read;
}
const char* verb(const MemoryAccess& access) { return verb_of(kind_of(access)); }

bool wanted() { return checks_wanted(); }

/// What tells a place of the program from others.
template <class Party>
std::string key_of(const Party& party) {
  return party.host_frames.empty() ? fmt::format("{}:{}", party.file, party.line) : party.host_frames.front();
}

void report_race(const memory::Allocation& allocation, const PastAccess& before, const MemoryAccess& now,
                 const std::string& what) {
  Finding f;
  set_place(f, host_backtrace(), what.starts_with("kernel "));
  OtherParty other;
  other.access = kind_of(before.access);
  set_place(other, before.place, before.is_launch());
  if (!stream_races().reported.insert({key_of(f), key_of(other), allocation.base}).second) return;
  const std::uint64_t from = std::max(now.address, before.access.address) - allocation.base;
  f.kind = FindingKind::race;
  f.space = allocation.kind == memory::Kind::pinned ? MemorySpace::host : MemorySpace::global;
  f.access = kind_of(now);
  if (what.starts_with("kernel ")) f.kernel = what.substr(7);
  f.in_buffer = BufferBytes{from, allocation.name()};
  // The name of a function stays as it is; "kernel" begins a sentence.
  f.message = Message(
      "{} {} {}, and {} ({}) {} it on another stream: on a GPU they may run at the same "
      "time, since no event, synchronisation or common stream orders them.",
      f.kernel.empty() ? what : tr("Kernel {}", f.kernel), verb(now), operand_of(f), before.in_words(),
      writes_report() || other.line > 0 ? Message::Operand(OtherLine{}) : tr("earlier"), verb(before.access));
  f.cure = Cure::order_streams;
  f.other = std::move(other);
  device().findings.push_back(std::move(f));
}

bool host_reaches(const memory::Allocation& a) {
  return a.kind == memory::Kind::managed || a.kind == memory::Kind::pinned;
}

struct UnfinishedAccess {
  const memory::Allocation* allocation;
  const PastAccess* past;
};

/// Work that nothing in @p seen comes after, on memory that the host can reach or on any;
/// rather some that writes.
std::optional<UnfinishedAccess> unfinished_access(const StreamVectorClock& seen, bool of_the_host) {
  std::optional<UnfinishedAccess> found;
  for (const auto& [base, past] : stream_races().past) {
    const memory::Allocation* a = device().space.find(base);
    if (a == nullptr || a->freed || (of_the_host && !host_reaches(*a))) continue;
    for (const PastAccess& p : past)
      if (!happens_before(p, seen) && (!found || p.access.writes > found->past->access.writes))
        found = {a, &p};
  }
  return found;
}

Finding early_return(const UnfinishedAccess& at, const std::string& why, Cure::Kind cure) {
  Finding f;
  f.kind = FindingKind::race;
  f.space = at.allocation->kind == memory::Kind::pinned ? MemorySpace::host : MemorySpace::global;
  f.access = kind_of(at.past->access);
  f.symbol = at.allocation->origin;
  f.message = Message("The call returned while {} was under way, which {} {}. {}", at.past->in_words(),
                      verb(at.past->access), at.allocation->name(), why);
  f.cure = cure;
  return f;
}

/// The device whose default stream has this number; nothing where it is another stream.
std::optional<int> device_of_default_stream(std::uint64_t number) {
  for (int i = 0; i < device_count(); ++i)
    if (device(i).default_stream.number == number) return i;
  return std::nullopt;
}

}  // namespace

void begin_operation(CUstream_st& stream) {
  if (!wanted()) return;
  stream.vector_clock = vector_clock_of_next(stream);
  ++stream.vector_clock[stream.number];
}

void record_access(CUstream_st& stream, const MemoryAccess& access, const std::string& what) {
  if (!wanted() || access.bytes == 0 || !may_overlap()) return;
  // Where a kernel waits for another stream, memory orders what streams and events do not.
  if (any_pending()) return;
  const memory::Allocation* allocation = device().space.find(access.address);
  if (allocation == nullptr) return;
  std::vector<PastAccess>& past = stream_races().past[allocation->base];
  std::erase_if(past, [](const PastAccess& p) { return happens_before(p, stream_races().host); });
  const std::uint64_t end = access.address + access.bytes;
  for (const PastAccess& p : past) {
    const bool apart = p.access.address >= end || p.access.address + p.access.bytes <= access.address;
    if (apart || (!p.access.writes && !access.writes) || (p.access.atomic && access.atomic)) continue;
    if (!happens_before(p, stream.vector_clock)) report_race(*allocation, p, access, what);
  }
  if (past.size() >= kMostRemembered) past.erase(past.begin());
  past.push_back({access, stream.number, stream.vector_clock[stream.number], what, host_backtrace()});
}

void record_event(CUevent_st& event, CUstream_st& stream) {
  if (wanted()) event.vector_clock = vector_clock_of_next(stream);
}
void wait_for_event(CUstream_st& stream, const CUevent_st& event) {
  join(stream.vector_clock, event.vector_clock);
}
void host_waited_for(const CUevent_st& event) { join(stream_races().host, event.vector_clock); }
void host_waited_for(CUstream_st& stream) {
  if (wanted()) join(stream_races().host, vector_clock_of_next(stream));
}
void host_waited_for_all(const Device& device) {
  if (!wanted()) return;
  if (device_count() == 1) stream_races().past.clear();
  each_stream([&](CUstream_st& stream) {
    if (stream.device == nullptr || stream.device == &device) join(stream_races().host, stream.vector_clock);
  });
}

/// The legacy default stream goes on waiting for a blocking stream's work.
void stream_destroyed(CUstream_st& stream) {
  if (wanted() && stream.blocking && stream.device)
    join(stream.device->default_stream.vector_clock, stream.vector_clock);
}

bool may_overlap() {
  if (other_streams()) return true;
  for (const memory::Allocation* a : device().space.live())
    if (host_reaches(*a)) return true;
  return false;
}

void forget(const memory::Allocation& allocation) { stream_races().past.erase(allocation.base); }

std::vector<PastAccess> unfinished_accesses_to_host_memory() {
  std::vector<PastAccess> all;
  for (auto& [base, past] : stream_races().past) {
    const memory::Allocation* a = device().space.find(base);
    if (a == nullptr || a->freed || !host_reaches(*a)) continue;
    if (a->registered) continue;  // may be a stack, or shared with other processes: it cannot be guarded
    std::erase_if(past, [](const PastAccess& p) { return happens_before(p, stream_races().host); });
    std::copy_if(past.begin(), past.end(), std::back_inserter(all),
                 [](const PastAccess& p) { return !p.access.with_host; });
  }
  return all;
}

}  // namespace sim::cudart

namespace sim {

std::optional<Finding> work_not_waited_for(bool on_the_host) {
  using namespace cudart;
  Device& d = device();
  std::lock_guard hold(d.lock);
  if (on_the_host)
    if (const auto at = unfinished_access(stream_races().host, true))
      return early_return(
          *at, tr("The host has waited for nothing behind that, so what it finds or puts there is chance."),
          Cure::wait_before_return);
  if (const auto at = unfinished_access(vector_clock_of_next(d.default_stream), false)) {
    if (const auto other = device_of_default_stream(at->past->stream); other && *other != d.ordinal)
      return early_return(
          *at,
          tr("It is in the default stream of device {}, for which no stream of another device waits.",
             *other),
          Cure::stream_that_is_waited_for);
    return early_return(
        *at,
        tr("It is on a non-blocking stream, for which the default stream does not wait: the caller's next "
           "kernel "
           "or cudaMemcpy() there may run before it is done."),
        Cure::wait_before_return_non_blocking);
  }
  return std::nullopt;
}

}  // namespace sim
