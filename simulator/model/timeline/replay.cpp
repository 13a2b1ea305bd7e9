#include "simulator/model/timeline/replay.h"

#include <fmt/format.h>

#include <algorithm>

namespace sim::model {

using exec::AsyncUnit;
using exec::ClusterRecording;
using exec::RecordedBarrier;
using exec::Step;
using Kind = TimelineSpan::Kind;

namespace {

constexpr std::size_t kMostSteps = std::size_t{1} << 22;  // of all replayed blocks

bool counts(const Step& s) {
  return s.kind == Step::Kind::load || s.kind == Step::Kind::arrive || s.kind == Step::Kind::arrive_behind;
}

Kind wait_for(AsyncUnit unit) {
  return unit == AsyncUnit::copies   ? Kind::wait_copies
         : unit == AsyncUnit::stores ? Kind::wait_stores
                                     : Kind::wait_products;
}

}  // namespace

Replay::Replay(const ClusterRecording& recording, const StepClocks& clocks, std::uint32_t clusters)
    : recording_(recording), clocks_(clocks), sms_(recording.blocks) {
  const std::size_t warps_of_block = recording.warps.size() / recording.blocks;
  for (std::size_t c = 0; c < clusters; ++c) {
    auto& barriers = barriers_.emplace_back(recording.barriers.size());
    for (std::size_t i = 0; i < recording.warps.size(); ++i) {
      Actor& a = actors_.emplace_back();
      a.steps = &recording.warps[i];
      a.cluster = c;
      a.rank = std::uint32_t(i / warps_of_block);
      a.warp = std::uint32_t(i % warps_of_block);
      for (const Step& s : *a.steps) {
        if (!counts(s)) continue;
        auto& phases = barriers[s.barrier].phases;
        if (phases.size() <= s.phase) phases.resize(s.phase + 1);
        ++phases[s.phase].missing;
      }
    }
  }
  out_.block = recording.block;
  out_.resident = clusters;
  out_.cut = recording.cut;
  out_.warp_end_ns.resize(warps_of_block);
  for (const exec::RecordedLine& l : recording.lines) out_.lines.push_back({l.file, l.line});
}

Timeline Replay::run() {
  for (std::size_t i = 0; i < actors_.size(); ++i) ready_.emplace(0.0, i);
  std::size_t budget = kMostSteps;
  do {
    for (; !ready_.empty() && budget > 0; --budget) {
      const std::size_t actor = ready_.top().second;
      ready_.pop();
      advance(actor);
    }
  } while (budget > 0 && release_one());
  std::stable_sort(out_.spans.begin(), out_.spans.end(),
                   [](const TimelineSpan& a, const TimelineSpan& b) { return a.begin_ns < b.begin_ns; });
  return std::move(out_);
}

/// First the work of a step and then the step, so that units are asked in the order of time.
void Replay::advance(std::size_t actor) {
  Actor& a = actors_[actor];
  if (shown(a)) out_.warp_end_ns[a.warp] = clocks_.ns(a.now);
  if (a.next == a.steps->size()) return;
  const Step& s = (*a.steps)[a.next];
  if (!a.worked && s.kind != Step::Kind::multiply) {
    const double from = a.now;
    a.now += clocks_.work(s);
    a.worked = true;
    add(a, Kind::load, from, from + double(s.global) * clocks_.load(), s.line);
    ready_.emplace(a.now, actor);
    return;
  }
  if (!take(a, s, actor)) return;
  a.worked = false;
  ++a.next;
  ready_.emplace(a.now, actor);
}

/// @return false where the warp waits for a barrier
bool Replay::take(Actor& a, const Step& s, std::size_t actor) {
  switch (s.kind) {
    case Step::Kind::load:
      load(a, s);
      break;
    case Step::Kind::arrive:
      contribute(a.cluster, s, a.now);
      break;
    case Step::Kind::arrive_behind:
      arrive_behind(a, s);
      break;
    case Step::Kind::wait:
      return wait(a, s, actor);
    case Step::Kind::start:
      start(a, s);
      break;
    case Step::Kind::commit:
      commit(a, s);
      break;
    case Step::Kind::wait_group:
      wait_group(a, s);
      break;
    case Step::Kind::multiply:
      multiply(a, s);
      break;
    case Step::Kind::end:
      break;
  }
  return true;
}

void Replay::load(Actor& a, const Step& s) {
  const RecordedBarrier& barrier = recording_.barriers[s.barrier];
  const double end = sms_[barrier.rank].loads.serve(a.now, clocks_.bulk_load(s)) + clocks_.bulk_latency();
  if (a.cluster == 0 && barrier.rank == recording_.rank)  // be it ordered by another block of the cluster
    out_.spans.push_back({Kind::copy, clocks_.ns(a.now), clocks_.ns(end), a.warp, stage_of(barrier), s.line});
  contribute(a.cluster, s, end);
}

void Replay::start(Actor& a, const Step& s) {
  Multiprocessor& sm = sms_[a.rank];
  Groups& groups = a.groups[std::size_t(s.unit)];
  double end = 0;
  switch (s.unit) {
    case AsyncUnit::copies:
      end = sm.loads.serve(a.now, clocks_.lane_copies(s)) + clocks_.load();
      if (groups.open_begin < 0) groups.open_begin = a.now, groups.offset = s.offset, groups.line = s.line;
      break;
    case AsyncUnit::stores:
      end = sm.stores.serve(a.now, clocks_.bulk_store(s));
      add(a, Kind::store, a.now, end, s.line);
      break;
    case AsyncUnit::products:
      end = sm.tensor_cores[a.warp % kPartitions].serve(a.now, clocks_.product(s));
      add(a, Kind::product, end - clocks_.product(s), end, s.line);
      break;
  }
  groups.open_end = std::max(groups.open_end, end);
}

void Replay::commit(Actor& a, const Step& s) {
  Groups& groups = a.groups[std::size_t(s.unit)];
  groups.ends.push_back(std::max(groups.open_end, groups.ends.empty() ? 0 : groups.ends.back()));
  if (groups.open_begin >= 0) {
    const auto [stage, is_new] = a.stages.try_emplace(groups.offset, std::int32_t(a.stages.size()));
    add(a, Kind::copy, groups.open_begin, groups.open_end, groups.line,
        shown(a) ? stage_named(fmt::format("stage {}", stage->second)) : -1);
  }
  groups.open_begin = -1;
  groups.open_end = 0;
}

void Replay::wait_group(Actor& a, const Step& s) {
  const std::vector<double>& ends = a.groups[std::size_t(s.unit)].ends;
  if (ends.size() <= s.amount) return;
  const double from = a.now;
  a.now = std::max(a.now, ends[ends.size() - 1 - s.amount]);
  add(a, wait_for(s.unit), from, a.now, s.line);
}

void Replay::arrive_behind(Actor& a, const Step& s) {
  Groups& copies = a.groups[std::size_t(AsyncUnit::copies)];
  const double closed = copies.ends.empty() ? 0 : copies.ends.back();
  if (copies.open_begin >= 0)
    add(a, Kind::copy, copies.open_begin, copies.open_end, copies.line,
        stage_of(recording_.barriers[s.barrier]));
  copies.open_begin = -1;
  contribute(a.cluster, s, std::max({a.now, closed, copies.open_end}));
}

void Replay::multiply(Actor& a, const Step& s) {
  const double clocks = clocks_.multiply(s), from = a.now;
  const double end = sms_[a.rank].tensor_cores[a.warp % kPartitions].serve(from, clocks);
  a.now = std::max(from + clocks_.work(s), end);
  add(a, Kind::load, from, from + double(s.global) * clocks_.load(), s.line);
  add(a, Kind::multiply, end - clocks, end, s.line);
}

bool Replay::wait(Actor& a, const Step& s, std::size_t actor) {
  Barrier& b = barriers_[a.cluster][s.barrier];
  if (a.waits_since < 0) a.waits_since = a.now;
  const bool ended = b.ends.size() >= s.phase;
  if (!ended && !a.let_through) {
    b.waiting.push_back(actor);
    return false;
  }
  if (ended && s.phase > 0) a.now = std::max(a.now, b.ends[s.phase - 1]);
  a.let_through = false;
  const std::int32_t stage = shown(a) ? stage_of(recording_.barriers[s.barrier]) : -1;
  add(a, stage < 0 ? Kind::wait_block : Kind::wait_stage, a.waits_since, a.now, s.line, stage);
  a.waits_since = -1;
  return true;
}

/// An arrival, or a copy that has been ordered and comes at @p when: the phases that miss nothing more end.
void Replay::contribute(std::size_t cluster, const Step& s, double when) {
  Barrier& b = barriers_[cluster][s.barrier];
  --b.phases[s.phase].missing;
  b.phases[s.phase].latest = std::max(b.phases[s.phase].latest, when);
  const std::size_t before = b.ends.size();
  while (b.ends.size() < b.phases.size() && b.phases[b.ends.size()].missing == 0)
    b.ends.push_back(std::max(b.phases[b.ends.size()].latest, b.ends.empty() ? 0 : b.ends.back()));
  if (b.ends.size() == before) return;
  for (const std::size_t actor : std::exchange(b.waiting, {})) ready_.emplace(actors_[actor].now, actor);
}

/// Where nobody can go on, since lanes of one warp wait for each other or a recording was cut, the warp that
/// has waited longest goes on. @return whether there is one
bool Replay::release_one() {
  Barrier* of = nullptr;
  std::size_t first = 0;
  for (auto& cluster : barriers_)
    for (Barrier& b : cluster)
      for (const std::size_t actor : b.waiting)
        if (of == nullptr || actors_[actor].now < actors_[first].now) of = &b, first = actor;
  if (of == nullptr || recording_.cut) return false;
  std::erase(of->waiting, first);
  actors_[first].let_through = true;
  ready_.emplace(actors_[first].now, first);
  return true;
}

void Replay::add(const Actor& a, Kind kind, double begin, double end, std::uint32_t line,
                 std::int32_t stage) {
  if (!shown(a) || end <= begin) return;
  out_.spans.push_back({kind, clocks_.ns(begin), clocks_.ns(end), a.warp, stage, line});
}

std::int32_t Replay::stage_named(const std::string& name) {
  const auto known = std::find(out_.stages.begin(), out_.stages.end(), name);
  if (known != out_.stages.end()) return std::int32_t(known - out_.stages.begin());
  out_.stages.push_back(name);
  return std::int32_t(out_.stages.size() - 1);
}

std::int32_t Replay::stage_of(const RecordedBarrier& b) {
  if (b.kind != RecordedBarrier::Kind::phases) return -1;
  return stage_named(b.rank == recording_.rank ? b.name : fmt::format("{} of block {}", b.name, b.rank));
}

}  // namespace sim::model
