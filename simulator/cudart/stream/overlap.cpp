#include "simulator/cudart/stream/overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <vector>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/cudart/report/host_place.h"
#include "simulator/cudart/report/open_objects.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/cudart/stream/guards.h"
#include "simulator/cudart/stream/suspended_launch.h"
#include "simulator/telemetry.h"

namespace sim::cudart {
namespace {

constexpr std::size_t kMostRemembered = 256;  ///< touches of an allocation

struct Overlaps {
  Before host;
  std::map<std::uint64_t, std::vector<Past>> past;  ///< by allocation
  std::set<std::tuple<std::string, std::string, std::uint64_t>> told;
};

Overlaps& overlaps() {
  static Overlaps& only = *new Overlaps;
  return only;
}

void join(Before& into, const Before& other) {
  for (const auto& [stream, count] : other) {
    std::uint64_t& known = into[stream];
    known = std::max(known, count);
  }
}

bool covers(const Before& before, const Past& past) {
  const auto known = before.find(past.stream);
  return known != before.end() && known->second >= past.count;
}

/// What a stream's next operation comes after.
Before comes_after(CUstream_st& stream) {
  Before all = stream.before;
  join(all, overlaps().host);
  if (stream.device == nullptr || !stream.blocking) return all;
  CUstream_st& legacy = stream.device->default_stream;
  if (&stream != &legacy) {
    join(all, legacy.before);
    return all;
  }
  each_stream([&](CUstream_st& other) {
    if (other.blocking && other.device == stream.device) join(all, other.before);
  });
  return all;
}

const char* verb(const Touch& touch) { return touch.atomic ? "updates" : touch.writes ? "writes" : "reads"; }
AccessKind kind_of(const Touch& touch) {
  return touch.atomic ? AccessKind::atomic : touch.writes ? AccessKind::write : AccessKind::read;
}

bool wanted() { return checks_wanted(); }

/// Where the host program is, for a reader who can tell the line. Costs more than the rest.
std::vector<std::string> frames_here() {
  return writes_report() ? frames_of(host_place()) : std::vector<std::string>{};
}

void tell_race(const memory::Allocation& allocation, const Past& before, const Touch& now,
               const std::string& what) {
  Finding f;
  f.host_frames = frames_here();
  OtherParty other;
  other.access = kind_of(before.touch);
  other.host_frames = before.frames;
  const std::string here = f.host_frames.empty() ? "" : f.host_frames.front(),
                    there = other.host_frames.empty() ? "" : other.host_frames.front();
  if (!overlaps().told.insert({here, there, allocation.base}).second) return;
  const std::uint64_t from = std::max(now.address, before.touch.address) - allocation.base;
  f.kind = FindingKind::race;
  f.space = allocation.kind == memory::Kind::pinned ? MemorySpace::host : MemorySpace::global;
  f.access = kind_of(now);
  if (what.starts_with("kernel ")) f.kernel = what.substr(7);
  f.in_buffer = BufferBytes{from, allocation.name()};
  // The name of a function stays as it is; "kernel" begins a sentence.
  f.message = Message(
      "{} {} {}, and {} ({}) {} it on another stream: on a GPU they may run at the "
      "same "
      "time, since no event, synchronisation or common stream orders them.",
      f.kernel.empty() ? what : "K" + what.substr(1), verb(now), operand_of(f), before.what,
      writes_report() ? Message::Operand(OtherLine{}) : "earlier", verb(before.touch));
  f.cure =
      "cudaEventRecord() behind the first, then cudaStreamWaitEvent() before the second (an event that is "
      "not recorded yet is not waited for), or one stream for both";
  f.other = std::move(other);
  device().findings.push_back(std::move(f));
}

bool host_reaches(const memory::Allocation& a) {
  return a.kind == memory::Kind::managed || a.kind == memory::Kind::pinned;
}

struct UnderWay {
  const memory::Allocation* allocation;
  const Past* past;
};

/// Work that nothing in @p seen comes after, on memory that the host can reach or on any; rather some that
/// writes.
std::optional<UnderWay> under_way(const Before& seen, bool of_the_host) {
  std::optional<UnderWay> found;
  for (const auto& [base, past] : overlaps().past) {
    const memory::Allocation* a = device().space.find(base);
    if (a == nullptr || a->freed || (of_the_host && !host_reaches(*a))) continue;
    for (const Past& p : past)
      if (!covers(seen, p) && (!found || p.touch.writes > found->past->touch.writes)) found = {a, &p};
  }
  return found;
}

Finding told_early(const UnderWay& at, const std::string& why, const std::string& cure) {
  Finding f;
  f.kind = FindingKind::race;
  f.space = at.allocation->kind == memory::Kind::pinned ? MemorySpace::host : MemorySpace::global;
  f.access = kind_of(at.past->touch);
  f.symbol = at.allocation->origin;
  f.message = Message("The call returned while {} was under way, which {} {}. {}", at.past->what,
                      verb(at.past->touch), at.allocation->name(), why);
  f.cure = cure;
  return f;
}

}  // namespace

void begins(CUstream_st& stream) {
  if (!wanted()) return;
  stream.before = comes_after(stream);
  ++stream.before[stream.number];
}

void touches(CUstream_st& stream, const Touch& touch, const std::string& what) {
  if (!wanted() || touch.bytes == 0 || !may_overlap()) return;
  // Where a kernel waits for another stream, memory orders what streams and events do not.
  if (anything_held()) return;
  const memory::Allocation* allocation = device().space.find(touch.address);
  if (allocation == nullptr) return;
  std::vector<Past>& past = overlaps().past[allocation->base];
  std::erase_if(past, [](const Past& p) { return covers(overlaps().host, p); });
  const std::uint64_t end = touch.address + touch.bytes;
  for (const Past& p : past) {
    const bool apart = p.touch.address >= end || p.touch.address + p.touch.bytes <= touch.address;
    if (apart || (!p.touch.writes && !touch.writes) || (p.touch.atomic && touch.atomic)) continue;
    if (!covers(stream.before, p)) tell_race(*allocation, p, touch, what);
  }
  if (past.size() >= kMostRemembered) past.erase(past.begin());
  past.push_back({touch, stream.number, stream.before[stream.number], what, frames_here()});
}

void records(CUevent_st& event, CUstream_st& stream) {
  if (wanted()) event.before = comes_after(stream);
}
void waits_for(CUstream_st& stream, const CUevent_st& event) { join(stream.before, event.before); }
void host_waited_for(const CUevent_st& event) { join(overlaps().host, event.before); }
void host_waited_for(CUstream_st& stream) {
  if (wanted()) join(overlaps().host, comes_after(stream));
}
void host_waited_for_all() {
  if (!wanted()) return;
  overlaps().past.clear();
  each_stream([](CUstream_st& stream) { join(overlaps().host, stream.before); });
}

/// The legacy default stream goes on waiting for a blocking stream's work.
void leaves(CUstream_st& stream) {
  if (wanted() && stream.blocking && stream.device) join(stream.device->default_stream.before, stream.before);
}

bool may_overlap() {
  if (other_streams()) return true;
  for (const memory::Allocation* a : device().space.live())
    if (host_reaches(*a)) return true;
  return false;
}

void forget(const memory::Allocation& allocation) { overlaps().past.erase(allocation.base); }

std::vector<Past> under_way_on_host_memory() {
  std::vector<Past> all;
  for (auto& [base, past] : overlaps().past) {
    const memory::Allocation* a = device().space.find(base);
    if (a == nullptr || a->freed || !host_reaches(*a)) continue;
    if (a->adopted) continue;  // may be a stack, or shared with other processes: it cannot be guarded
    std::erase_if(past, [](const Past& p) { return covers(overlaps().host, p); });
    std::copy_if(past.begin(), past.end(), std::back_inserter(all),
                 [](const Past& p) { return !p.touch.with_host; });
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
    if (const auto at = under_way(overlaps().host, true))
      return told_early(
          *at, "The host has waited for nothing behind that, so what it finds or puts there is chance.",
          "cudaStreamSynchronize() on every stream that has work, or cudaDeviceSynchronize(), before the "
          "return: streams are not ordered among each other, the last to be given work need not end last");
  if (const auto at = under_way(comes_after(d.default_stream), false))
    return told_early(
        *at,
        "It is on a non-blocking stream, for which the default stream does not wait: the caller's next "
        "kernel "
        "or cudaMemcpy() there may run before it is done.",
        "cudaStreamSynchronize() before the return, or an event behind the work that the default stream is "
        "told to wait for, or a stream of cudaStreamCreate(), which the default stream waits for by itself");
  return std::nullopt;
}

}  // namespace sim
