// mbarriers: who may use one, in which phase an arrival counts, and what a wait has waited for.
#include <set>
#include <utility>

#include "simulator/engine/fault.h"
#include "simulator/engine/phase_barrier.h"
#include "simulator/engine/shared_name.h"
#include "simulator/sanitizer/race/race_detector.h"

namespace sim::sanitizer {

void RaceDetector::initialises_phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at,
                                             int lane) {
  PhaseOrder& phases = context_.blocks.of(*at.owner).mbarriers[u32(at.offset)];
  phases = {};
  phases.initialised = event(w, in, lane);
}

ThreadEvent RaceDetector::event(const Warp& w, const Instr& in, int lane) {
  const u32 index = context_.code().index_of(in);
  return {context_.blocks.of(*w.block).first_thread + w.index * kLanes + u32(lane), context_.order.now(),
          index, context_.analysis.wrappers().line_of(w.frame, index)};
}

bool RaceDetector::comes_behind(const Warp& w, int lane, const ThreadEvent& e) {
  return context_.order.before(context_.blocks.of(*w.block), w.index, lane, {e.thread, e.when, 0},
                               !context_.clustered());
}

OtherParty RaceDetector::party(const ThreadEvent& e, AccessKind does) const {
  OtherParty other = writer(e.thread, e.at);
  exec::locate(other, e.line);
  other.access = does;
  return other;
}

void RaceDetector::fences_initialisations(const Warp& w) {
  BlockOrder& block = context_.blocks.of(*w.block);
  const u32 first = block.first_thread + w.index * kLanes;
  for (auto& [offset, phases] : block.mbarriers) {
    if (!phases.initialised || phases.fenced) continue;
    const u32 lane = phases.initialised->thread - first;
    if (lane >= u32(kLanes) || (w.active & kLaneBit[lane]) == 0) continue;
    phases.fenced = true;
    // Who has arrived already at the turn under way is past it.
    phases.turn = context_.order.turns_complete(*block.cluster) +
                  ((w.pending_at_cluster & kLaneBit[lane]) != 0 ? 2 : 1);
  }
}

void RaceDetector::check_initialisation(const Warp& w, const Instr& in, const SharedPlace& at, int lane) {
  const BlockOrder& owner = context_.blocks.of(*at.owner);
  const auto known = owner.mbarriers.find(u32(at.offset));
  if (known == owner.mbarriers.end() || !known->second.initialised) return;
  const PhaseOrder& phases = known->second;
  if (comes_behind(w, lane, *phases.initialised)) return;
  // A fence of the initialisation goes with arrivals at the cluster's barrier that are relaxed.
  if (phases.fenced && context_.blocks.of(*w.block).turns_waited >= phases.turn) return;
  const FindingKey key{FindingKey::Kind::unready_mbarrier, context_.code().index_of(in),
                       phases.initialised->at};
  if (context_.collector.again(key)) return;
  Finding& f = context_.collector.add(key, w, in, lane);
  f.space = MemorySpace::shared;
  f.access = AccessKind::atomic;
  f.size = sizeof(PhaseBarrier);
  f.symbol = exec::shared_name(context_.code(), u32(at.offset), f.size);
  render_unready_mbarrier(f, party(*phases.initialised, AccessKind::write), at.owner == w.block,
                          w.block->cluster->size() > 1);
}

void RaceDetector::check_phase_of_arrival(const Warp& w, const Instr& in, const SharedPlace& at, int lane,
                                          const PhaseOrder& phases) {
  for (const ThreadEvent& before : phases.before) {
    if (comes_behind(w, lane, before)) continue;
    const FindingKey key{FindingKey::Kind::spare_arrival, context_.code().index_of(in), before.at};
    if (context_.collector.again(key)) return;
    Finding& f = context_.collector.add(key, w, in, lane);
    f.space = MemorySpace::shared;
    f.access = AccessKind::atomic;
    f.symbol = exec::shared_name(context_.code(), u32(at.offset), sizeof(PhaseBarrier));
    render_spare_arrival(f, party(before, AccessKind::atomic), phases.before.size(), phases.phase);
    return;
  }
}

/// What counts in the present phase comes behind some waits for the one before. That the wait of one warp
/// counts for its warpgroup is lenient, as for products.
void RaceDetector::keep_waits(const Warp& w, int lane, PhaseOrder& phases) {
  constexpr u32 kWarpgroup = 4 * kLanes;
  const u32 threads = context_.blocks.of(*w.block).threads;
  const auto group_of = [&](u32 thread) {
    return std::pair(thread / threads, thread % threads / kWarpgroup);
  };
  std::set<std::pair<u32, u32>> kept;
  for (const auto& [thread, wait] : phases.waits)
    if (wait.phase == phases.phase && !wait.kept && !kept.contains(group_of(thread)) &&
        comes_behind(w, lane, {thread, wait.when, wait.at, {}}))
      kept.insert(group_of(thread));
  if (kept.empty()) return;
  for (auto& [thread, wait] : phases.waits) wait.kept |= kept.contains(group_of(thread));
}

/// The present phase has ended: who waited for the one before could have come too late, where nothing in the
/// present one came behind that wait.
void RaceDetector::check_missed_phases(const exec::Cluster& cluster, const SharedPlace& at,
                                       const PhaseOrder& phases) {
  for (const auto& [thread, wait] : phases.waits) {
    if (wait.phase != phases.phase || wait.phase == 0 || wait.kept || !wait.parity) continue;
    const FindingKey key{FindingKey::Kind::missed_phase, wait.at, FindingKey::kNobody};
    if (context_.collector.again(key)) continue;
    const u32 threads = context_.blocks.of(*at.owner).threads;
    for (u32 rank = 0; rank < cluster.size(); ++rank) {
      Block& block = cluster.block(rank);
      if (block.index != thread / threads) continue;
      const Warp& w = block.warps[thread % threads / kLanes];
      Finding& f = context_.collector.add(key, w, context_.code().instructions[wait.at],
                                          int(thread % threads % kLanes));
      exec::locate(f, wait.line);
      f.space = MemorySpace::shared;
      f.symbol = exec::shared_name(context_.code(), u32(at.offset), sizeof(PhaseBarrier));
      render_missed_phase(f, wait.phase - 1);
    }
  }
}

void RaceDetector::phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane, u64 phase,
                                 bool releases, bool acquires) {
  check_initialisation(w, in, at, lane);
  BlockOrder& block = context_.blocks.of(*w.block);
  if (at.owner != w.block) {  // which has to be there still
    const ThreadEvent use = event(w, in, lane);
    context_.blocks.of(*at.owner).remote[use.thread] = {use.when, use.at, Access::atomic, use.line};
  }
  PhaseOrder& phases = context_.blocks.of(*at.owner).mbarriers[u32(at.offset)];
  if (phase > phases.phase) check_missed_phases(*w.block->cluster, at, phases);
  Arrivals& present = phases.arrivals_in(phase, context_.order.now());
  if (releases) keep_waits(w, lane, phases);
  const Mask one = kLaneBit[std::size_t(lane)];
  const ptx::Instruction& source = context_.code().source_of(in);
  if (source.opcode == "mbarrier" && (source.has("arrive") || source.has("arrive_drop"))) {
    check_phase_of_arrival(w, in, at, lane, phases);
    phases.arrivals.push_back(event(w, in, lane));
  }
  if (releases) context_.order.arrive(block, present, w.index, one, w.live);
  if (!acquires) return;
  const ThreadEvent wait = event(w, in, lane);
  const auto [last, is_first] = phases.waits.try_emplace(wait.thread);
  if (is_first || last->second.phase != phase)
    last->second = {phase, wait.line, wait.when, wait.at, source.has("parity")};
  context_.order.learn(block, phases.ended, w.index, one);
  for (const Arriving& a : phases.ended.copies) complete(a.copy, a.thread);
  phases.ended.copies.clear();
}

std::optional<PassedWait> RaceDetector::wait_of_warp(const PhaseOrder& phases, u32 thread) {
  for (u32 i = 0; i <= u32(kLanes); ++i) {  // one thread of a warp may wait for all
    const auto wait = phases.waits.find(i == 0 ? thread : thread / kLanes * kLanes + i - 1);
    if (wait != phases.waits.end() && wait->second.phase == phases.phase) return wait->second;
  }
  return {};
}

std::optional<PassedWait> RaceDetector::wait_before_copy(const BlockOrder& owner, u64 offset,
                                                         u32 thread) const {
  for (const auto& [place, phases] : owner.mbarriers)
    for (const Arriving& a : phases.present.copies)
      if (a.bulk && a.copy.owner == &owner && offset >= a.copy.offset &&
          offset - a.copy.offset < a.copy.bytes)
        if (const auto wait = wait_of_warp(phases, thread)) return wait;
  return {};
}

}  // namespace sim::sanitizer
