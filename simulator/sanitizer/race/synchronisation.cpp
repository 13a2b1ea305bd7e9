// What orders threads: barriers of block and warp, fences, atomics, mbarriers, asynchronous copies.
#include "simulator/engine/phase_barrier.h"
#include "simulator/sanitizer/race/race_detector.h"

namespace sim::sanitizer {

void RaceDetector::warp_barrier(const Warp& w, Mask lanes) {
  context_.order.warp_barrier(context_.blocks.of(*w.block), w.index, lanes, w.live);
  volatile_order_.of(*w.block).share(w.index * kLanes, u32(kLanes));
}

void RaceDetector::fence(const Warp& w, const Instr& in) {
  const ptx::Instruction& source = context_.code().source_of(in);
  if (source.has("mbarrier_init")) return fences_initialisations(w);
  const Reach reach = source.has("cta") ? Reach::block : source.has("sys") ? Reach::system : Reach::device;
  context_.order.fence(context_.blocks.of(*w.block), w.index, w.active, reach);
}

void RaceDetector::arrives(const Warp& w, int barrier, u32 expected, bool waits) {
  BlockOrder& block = context_.blocks.of(*w.block);
  Arrivals& arrivals = block.arrivals_at(std::size_t(barrier));
  if (is_first_arrival(w, barrier)) arrivals.some_do_not_wait = false;
  arrivals.some_do_not_wait |= !waits;
  const bool for_all = expected == 0 || expected >= w.block->live_threads;
  if (for_all && (expected == 0 || !context_.analysis.arrives_apart())) return;
  context_.order.arrive(block, arrivals, w.index, w.active, w.live);
}

bool RaceDetector::block_barrier(const Block& block, int number) {
  BlockOrder& order = context_.blocks.of(block);
  const exec::Barrier& barrier = block.barriers[std::size_t(number)];
  Arrivals& arrivals = order.arrivals_at(std::size_t(number));
  const bool all_waited = barrier.arrived >= block.live_threads && !arrivals.some_do_not_wait;
  if (all_waited) {
    context_.order.block_barrier(order);
    volatile_order_.of(block).share(0, order.threads);
  } else {
    for (const Warp& w : block.warps)
      for (const Split& s : w.waiting)
        if (s.wait == Wait::barrier && s.barrier == number)
          context_.order.learn(order, arrivals, w.index, s.mask);
  }
  arrivals = {};
  return all_waited;
}

void RaceDetector::cluster_arrives(const Warp& w, bool releases) {
  context_.order.cluster_arrives(context_.blocks.of(*w.block), w.index, w.active, w.live, releases);
}

void RaceDetector::cluster_barrier(const exec::Cluster& cluster) { context_.order.cluster_barrier(cluster); }

void RaceDetector::cluster_waited(const Warp& w, Mask lanes) {
  BlockOrder& block = context_.blocks.of(*w.block);
  block.turns_waited = context_.order.turns_complete(*block.cluster);
  context_.order.cluster_waited(block, w.index, lanes);
}

void RaceDetector::synchronise(const WarpAccess& a, u64 address, int lane) {
  const MemorySemantics& m = a.semantics;
  HappensBefore& order = context_.order;
  auto& released = a.in_shared ? a.owner.released : released_;
  if (context_.analysis.passes_volatile()) hand_over(a, address, lane);
  if (m.acquires && !released.empty()) {
    if (const auto known = released.find(address); known != released.end()) {
      if (m.explicit_order)
        order.sees(a.block, a.w.index, lane, known->second);
      else
        order.acquire(a.block, a.w.index, lane, known->second);
    }
  }
  if (!m.publishes) return;
  if (m.releases) {
    const Reach reach = m.of_block ? Reach::block : m.of_system ? Reach::system : Reach::device;
    order.fence(a.block, a.w.index, kLaneBit[std::size_t(lane)], reach);
  }
  if (order.has_fenced(a.block, a.w.index)) {
    order.publish(a.block, a.w.index, lane, released[address], a.seen.kind == Access::atomic);
  } else if (a.seen.kind == Access::write && !released.empty()) {
    released.erase(address);
  }
}

void RaceDetector::complete(const Copy& c, u32 thread, Epoch when) {
  Shadow& s = c.owner->shared;
  for (u64 i = c.offset >> s.shift(); i < (u64(c.offset) + c.bytes) >> s.shift(); ++i) {
    if (s.write_who[i] != thread || (s.write_at[i] & kPending) == 0) continue;
    s.write_at[i] &= ~kPending;
    if (when != 0 && s.write_when[i] != 0) s.write_when[i] = when;
  }
  --c.owner->copies;
}

Copy RaceDetector::enter_copy(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes,
                              bool garbage) {
  AccessPattern one;
  one.mask = kLaneBit[std::size_t(lane)];
  const u32 offset = u32(to.offset);
  const ObservedAccess seen{in,    Access::write, ptx::Space::shared, offset, one,
                            bytes, nullptr,       *to.owner,          {}};
  const std::optional<WarpAccess> a = locate(w, seen, context_.code().index_of(in));
  check(*a, enter_same_epoch(*a));
  Shadow& s = a->shadow;
  for (u64 c = offset >> s.shift(); c < (u64(offset) + bytes) >> s.shift(); ++c) {
    if (garbage) s.write_when[c] = 0;  // as if it had not been written either
    s.write_at[c] |= kPending;
  }
  ++a->owner.copies;
  return {&a->owner, offset, bytes, u32(lane), a->order.async().group[std::size_t(lane)]};
}

void RaceDetector::copies(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes,
                          bool garbage) {
  context_.blocks.of(*w.block).warps[w.index].async().copies.push_back(
      enter_copy(w, in, lane, to, bytes, garbage));
}

void RaceDetector::commits_copies(const Warp& w) {
  AsyncOrder& order = context_.blocks.of(*w.block).warps[w.index].async();
  for_each_lane(w.active, [&](int lane) { ++order.group[std::size_t(lane)]; });
}

void RaceDetector::waits_for_copies(const Warp& w, u32 pending) {
  BlockOrder& block = context_.blocks.of(*w.block);
  AsyncOrder& order = block.warps[w.index].async();
  const u32 first = block.first_thread + w.index * kLanes;
  std::erase_if(order.copies, [&](const Copy& c) {
    if ((w.active & kLaneBit[c.lane]) == 0 || c.group + pending >= order.group[c.lane]) return false;
    complete(c, first + c.lane, context_.order.now());
    return true;
  });
  if (pending != 0) return;
  // Waited for by their own thread, before the mbarrier is.
  for (auto& [offset, phases] : block.mbarriers)
    for (const Arrivals* arrivals : {&phases.ended, &phases.present})
      for (const Arriving& a : arrivals->copies)
        if (!a.bulk && a.thread - first < u32(kLanes) && (w.active & kLaneBit[a.thread - first]) != 0)
          complete(a.copy, a.thread), ++a.copy.owner->copies;
}

void RaceDetector::copies_arrive(const Warp& w, const SharedPlace& at, int lane) {
  BlockOrder& block = context_.blocks.of(*w.block);
  Shadow& s = block.shared;
  const u32 me = block.first_thread + w.index * kLanes + u32(lane);
  Arrivals& arrivals = context_.blocks.of(*at.owner).mbarriers[u32(at.offset)].arrivals_in(
      exec::phases_ended(at), context_.order.now());
  std::erase_if(block.warps[w.index].async().copies, [&](const Copy& c) {
    if (c.lane != u32(lane)) return false;
    for (u64 i = c.offset >> s.shift(); i < (u64(c.offset) + c.bytes) >> s.shift(); ++i)
      if (s.write_who[i] == me && s.write_when[i] != 0)
        s.write_when[i] = context_.order.now();  // the arrival covers it
    arrivals.copies.push_back({c, me, false});
    return true;
  });
}

}  // namespace sim::sanitizer
