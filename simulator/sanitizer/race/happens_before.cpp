#include "simulator/sanitizer/race/happens_before.h"

namespace sim::sanitizer {

void HappensBefore::starts(BlockOrder& b, u32 index, const exec::Cluster* cluster) {
  b.index = index;
  b.cluster = cluster;
  b.remote.clear();
  if (cluster->block(0).index == index) clusters_.reset(cluster->block(0));
  b.threads = threads_;
  b.first_thread = index * threads_;
  b.start = b.barrier = now_++;
  const std::size_t warps = b.warps.size();
  b.warps.clear();
  b.warps.resize(warps);
  b.known.clear();
  b.common = b.fenced = nullptr;
  b.fresh_fences = false;
  b.copies = b.turns_waited = 0;
  for (Arrivals& a : b.barrier_arrivals) a = {};
  b.mbarriers.clear();
  b.bulk_reads.clear();
  b.products.clear();
  b.proxy_fences.clear();
  b.forgotten_fences = 0;
  b.released.clear();
}

bool HappensBefore::before(const BlockOrder& b, u32 warp, int lane, const Earlier& e,
                           bool of_one_block) const {
  if ((e.at & kPending) != 0) return false;
  const Readers readers = e.readers();
  const u32 me = b.first_thread + warp * kLanes + u32(lane);
  const bool same_block = of_one_block || (readers != Readers::grid && e.who - b.first_thread < b.threads);
  const WarpOrder& own = b.warps[warp];
  if (readers == Readers::one && e.who == me) return true;
  if (same_block && e.when <= b.barrier) return true;
  if (same_block && readers <= Readers::warp && e.who / kLanes == me / kLanes) {
    if (e.when <= own.synced) return true;
    Mask left = readers == Readers::one ? kLaneBit[e.who % kLanes] : e.set;
    left &= ~kLaneBit[std::size_t(lane)];
    if (own.lanes != nullptr) {
      for_each_lane(left, [&](int other) {
        if (own.lanes->known[lane][other] >= e.when) left &= ~kLaneBit[std::size_t(other)];
      });
    }
    if (left == 0) return true;
  }
  const VectorClock* k = b.known_of(me - b.first_thread).get();
  if (k == nullptr) return false;
  const u32 block = e.who / threads_;
  switch (readers) {
    case Readers::one:
      return k->of(block, e.who / kLanes, e.who) >= e.when;
    case Readers::warp:
      return k->of_lanes(block, e.who / kLanes, e.set) >= e.when;
    case Readers::block: {
      if (k->of_block(block) >= e.when) return true;
      for (u32 set = e.set, i = 0; set != 0; set >>= 1, ++i) {
        if ((set & 1) == 0) continue;
        const Epoch when = e.by_warp != nullptr ? (*e.by_warp)[i] : e.when;
        const bool mine = same_block && i == warp && when <= own.synced;
        if (!mine && when > b.barrier && of_warp(b, *k, block, block * (threads_ / kLanes) + i) < when)
          return false;
      }
      return true;
    }
    case Readers::grid:
      if (e.in_cluster) return known_of_cluster(b, *k, e.when);
      return known_of_grid(b, b.known_of(me - b.first_thread)) >= e.when;
  }
  return false;
}

Epoch HappensBefore::of_warp(const BlockOrder& b, const VectorClock& known, u32 block, u32 warp) const {
  const Epoch until = known.of_warp(block, warp);
  if (b.cluster->size() == 1) return until;
  const auto& turns = turns_of(*b.cluster).turns;
  const auto next = std::upper_bound(turns.begin(), turns.end(), std::pair(until, ~Epoch{0}));
  return next == turns.begin() ? until : std::max(until, std::prev(next)->second);
}

bool HappensBefore::known_of_cluster(const BlockOrder& b, const VectorClock& known, Epoch when) const {
  const u32 warps = threads_ / kLanes;
  for (u32 rank = 0; rank < b.cluster->size(); ++rank) {
    const u32 block = u32(b.cluster->block(rank).index);
    if (block == b.index && when <= b.barrier) continue;
    for (u32 i = 0; i < warps; ++i)
      if (of_warp(b, known, block, block * warps + i) < when) return false;
  }
  return true;
}

bool HappensBefore::knows_start(const BlockOrder& b, u32 warp, int lane, const BlockOrder& other) const {
  const VectorClock* k = b.known_of(warp * kLanes + u32(lane)).get();
  return k != nullptr && k->of_block(other.index) >= other.start;
}

Known HappensBefore::known_to_some(const BlockOrder& b) const {
  Known all = b.common;
  for (const Known& k : b.known) all = join(all, k, now_);
  return all;
}

void HappensBefore::cluster_arrives(BlockOrder& b, u32 warp, Mask lanes, Mask live, bool releases) {
  ClusterOrder& turns = turns_of(*b.cluster);
  if (turns.first == 0) turns.first = now_;
  if (releases) arrive(b, turns.present, warp, lanes, live);
}

void HappensBefore::cluster_barrier(const exec::Cluster& cluster) {
  ClusterOrder& turns = turns_of(cluster);
  turns.complete = std::exchange(turns.present, {});
  turns.turns.emplace_back(turns.first, now_);
  turns.first = 0;
  ++now_;
}

void HappensBefore::cluster_waited(BlockOrder& b, u32 warp, Mask lanes) {
  learn(b, turns_of(*b.cluster).complete, warp, lanes);
}

/// A block that has arrived at a barrier of the grid reads nothing before its own next barrier, by which its
/// threads learn that the wait is over: its share of a read by many is as old as its arrival, however late
/// the last reader was. Of its own block a thread knows by the block's barriers: nobody need have told it.
Epoch HappensBefore::known_of_grid(const BlockOrder& b, const Known& known) const {
  if (known != grid_known_ || b.index != grid_block_) {
    grid_known_ = known;
    grid_block_ = b.index;
    grid_until_ = known->least_of_others(blocks_, b.index, [&](u32 block, Epoch until) {
      if (barriers_.empty()) return until;
      const auto& all = barriers_[block];
      const auto next = std::upper_bound(all.begin(), all.end(), until);
      return next == all.end() ? now_ : *next;
    });
  }
  return std::min(grid_until_, known->of_block(b.index) >= b.barrier ? now_ : b.barrier);
}

void HappensBefore::own(VectorClock& k, const BlockOrder& b, u32 warp, int lane, Epoch until) const {
  const WarpOrder& w = b.warps[warp];
  k.add_block(b.index, b.barrier);
  if (w.synced > b.barrier) k.add_warp(b.first_warp() + warp, w.synced);
  if (w.lanes != nullptr) {
    for (u32 other = 0; other < kLanes; ++other)
      if (const Epoch m = w.lanes->known[lane][other]; m > w.synced && m > b.barrier)
        k.add_thread(b.first_thread + warp * kLanes + other, m);
  }
  k.add_thread(b.first_thread + warp * kLanes + u32(lane), until);
}

Known HappensBefore::behind(const BlockOrder& b, u32 warp, int lane) const {
  auto k = std::make_shared<VectorClock>();
  own(*k, b, warp, lane, now_ - 1);
  return join(k, b.known_of(warp * kLanes + u32(lane)), now_);
}

void HappensBefore::learn(BlockOrder& b, u32 thread, const Known& what) {
  if (what == nullptr || what->empty()) return;
  if (b.known.empty()) b.known.assign(b.threads, b.common);
  b.known[thread] = join(b.known[thread], what, now_);
}

Known HappensBefore::fenced_of(const WarpOrder& w, u32 warp_of_grid, u32 block) const {
  const Fences& f = *w.fences;
  auto k = std::make_shared<VectorClock>();
  Epoch least = f.wide[0], block_at = 0, warp_at = 0;
  Known before;
  for (int i = 0; i < kLanes; ++i) {
    least = std::min(least, f.wide[i]);
    block_at = std::max(block_at, f.block[i]);
    warp_at = std::max(warp_at, f.warp[i]);
    before = join(before, f.known[std::size_t(i)], now_);
  }
  if (block_at != 0) k->add_block(block, block_at);
  if (std::max(least, warp_at) != 0) k->add_warp(warp_of_grid, std::max(least, warp_at));
  for (u32 i = 0; i < kLanes; ++i)
    if (f.wide[i] > least) k->add_thread(warp_of_grid * kLanes + i, f.wide[i]);
  return join(k, before, now_);
}

void HappensBefore::warp_barrier(BlockOrder& b, u32 warp, Mask lanes, Mask live) {
  WarpOrder& w = b.warps[warp];
  if (w.fences != nullptr && w.fences->fresh) {
    w.fenced = join(w.fenced, fenced_of(w, b.first_warp() + warp, b.index), now_);
    w.fences->fresh = false;
  }
  if (!b.known.empty()) {
    Known all;
    for_each_lane(lanes, [&](int i) { all = join(all, b.known[warp * kLanes + u32(i)], now_); });
    for_each_lane(lanes, [&](int i) { b.known[warp * kLanes + u32(i)] = all; });
  }
  if ((lanes & live) == live) {
    w.synced = now_++;
    return;
  }
  if (w.lanes == nullptr) w.lanes = std::make_unique<LaneOrder>();
  Epoch all[kLanes] = {};
  for_each_lane(lanes, [&](int i) {
    w.lanes->known[i][i] = now_;
    SIM_FOR_LANES(j) all[j] = std::max(all[j], w.lanes->known[i][j]);
  });
  for_each_lane(lanes, [&](int i) { std::copy(all, all + kLanes, w.lanes->known[i]); });
  ++now_;
}

void HappensBefore::block_barrier(BlockOrder& b) {
  if (b.fresh_fences) {
    for (u32 i = 0; i < b.warps.size(); ++i) {
      WarpOrder& w = b.warps[i];
      if (w.fences == nullptr) continue;
      b.fenced = join(b.fenced, fenced_of(w, b.first_warp() + i, b.index), now_);
      w.fences->fresh = false;
    }
    b.fresh_fences = false;
  }
  if (!b.known.empty()) {
    for (const Known& k : b.known) b.common = join(b.common, k, now_);
    b.known.clear();
  }
  if (!barriers_.empty()) barriers_[b.index].push_back(now_);
  b.barrier = now_++;
}

void HappensBefore::arrive(BlockOrder& b, Arrivals& m, u32 warp, Mask lanes, Mask live) {
  auto k = std::make_shared<VectorClock>();
  if ((lanes & live) == live) k->add_warp(b.first_warp() + warp, now_);
  for_each_lane(lanes, [&](int i) {
    own(*k, b, warp, i, now_);
    if (const Known& more = b.known_of(warp * kLanes + u32(i))) k->add(*more, now_);
  });
  m.known = join(m.known, k, now_);
  const WarpOrder& w = b.warps[warp];
  if (w.fences != nullptr) m.fenced = join(m.fenced, fenced_of(w, b.first_warp() + warp, b.index), now_);
  m.fenced = join(m.fenced, b.fenced, now_);
  ++now_;
}

void HappensBefore::learn(BlockOrder& b, const Arrivals& m, u32 warp, Mask lanes) {
  for_each_lane(lanes, [&](int i) { learn(b, warp * kLanes + u32(i), m.known); });
  b.warps[warp].fenced = join(b.warps[warp].fenced, m.fenced, now_);
}

void HappensBefore::fence(BlockOrder& b, u32 warp, Mask lanes, Reach reach) {
  const bool wide = reach != Reach::block;
  WarpOrder& w = b.warps[warp];
  if (w.fences == nullptr) w.fences = std::make_unique<Fences>();
  Fences& f = *w.fences;
  for_each_lane(lanes, [&](int i) {
    f.narrow[i] = now_;
    f.warp[i] = w.synced;
    f.block[i] = b.barrier;
    if (w.seen != nullptr) take_over(b, warp, i, wide);
    f.known[std::size_t(i)] = b.known_of(warp * kLanes + u32(i));
    if (wide) f.wide[i] = now_;
  });
  // What a barrier ordered before a fence of the block alone is not fenced for other blocks.
  if (wide) b.fresh_fences = f.fresh = true;
  if (wide) f.of_device = reach == Reach::device ? f.of_device | lanes : f.of_device & ~lanes;
  ++now_;
}

bool HappensBefore::has_fenced_for_device(const BlockOrder& b, u32 warp, int lane) const {
  const Fences* f = b.warps[warp].fences.get();
  return f != nullptr && (f->of_device & kLaneBit[std::size_t(lane)]) != 0 && f->block[lane] == b.barrier;
}

void HappensBefore::sees(BlockOrder& b, u32 warp, int lane, const Released& from) {
  WarpOrder& w = b.warps[warp];
  if (w.seen == nullptr) w.seen = std::make_unique<RelaxedReads>();
  const std::size_t i = std::size_t(lane);
  w.seen->wide[i] = join(w.seen->wide[i], from.wide, now_);
  if (from.block != b.index) return;
  w.seen->narrow[i] = join(join(w.seen->narrow[i], from.narrow, now_), from.wide, now_);
}

void HappensBefore::take_over(BlockOrder& b, u32 warp, int lane, bool wide) {
  RelaxedReads& seen = *b.warps[warp].seen;
  const u32 thread = warp * kLanes + u32(lane);
  learn(b, thread, seen.narrow[std::size_t(lane)]);
  if (wide) learn(b, thread, seen.wide[std::size_t(lane)]);
}

void HappensBefore::publish(BlockOrder& b, u32 warp, int lane, Released& at, bool joins) {
  const WarpOrder& w = b.warps[warp];
  Known wide = join(b.fenced, w.fenced, now_), narrow;
  if (w.fences != nullptr) {
    const Fences& f = *w.fences;
    const auto make = [&](Epoch until) {
      auto k = std::make_shared<VectorClock>();
      k->add_block(b.index, f.block[lane]);
      if (f.warp[lane] > f.block[lane]) k->add_warp(b.first_warp() + warp, f.warp[lane]);
      k->add_thread(b.first_thread + warp * kLanes + u32(lane), until);
      return join(k, f.known[std::size_t(lane)], now_);
    };
    if (f.wide[lane] != 0) wide = join(wide, make(f.wide[lane]), now_);
    if (f.narrow[lane] > f.wide[lane]) narrow = make(f.narrow[lane]);
  }
  at.wide = joins ? join(at.wide, wide, now_) : wide;
  at.narrow = joins && at.block == b.index ? join(at.narrow, narrow, now_) : narrow;
  at.block = b.index;
}

void HappensBefore::acquire(BlockOrder& b, u32 warp, int lane, const Released& from) {
  const u32 thread = warp * kLanes + u32(lane);
  if (from.wide != b.known_of(thread)) learn(b, thread, from.wide);
  if (from.block == b.index) learn(b, thread, from.narrow);
}

}  // namespace sim::sanitizer
