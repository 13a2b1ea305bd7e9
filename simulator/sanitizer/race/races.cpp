// Races: two accesses to one word, at least one of them a write, that nothing orders.
#include <fmt/format.h>

#include <cstring>

#include "simulator/sanitizer/race/same_epoch.h"
#include "simulator/sanitizer/state.h"

namespace sim::sanitizer {

namespace {

u32 flags_of(const MemorySemantics& m) {
  return (m.strong ? kStrong : 0) | (m.of_block ? kOfBlock : 0) | (m.is_volatile ? kVolatile : 0);
}

}  // namespace

void Watch::race_check(Warp& w, const Seen& seen, u32 at, const MemorySemantics& semantics) {
  BlockState& block = state_of(*w.block);
  const bool in_shared = seen.space == ptx::Space::shared;
  GlobalShadow* const g = in_shared ? nullptr : global(at, seen.first);
  if (!in_shared && g == nullptr) return;
  Shadow& shadow = in_shared ? block.order.shared : g->shadow;
  if (seen.bytes < 4 && shadow.shift() != 0 && (1u << shadow.shift()) > seen.bytes) shadow.refine(seen.bytes);
  const u64 base = in_shared ? 0 : g->base;
  const Actor actor{w, block, block.order.warps[w.index], w.index,
                    block.order.first_thread + w.index * kLanes};
  const Place place{seen, at, semantics, shadow, in_shared, base};
  const u32 shift = shadow.shift();
  const Pattern& p = seen.pattern;
  const bool apart = in_shared && (block.order.copies != 0 || plan_.warps_meet_apart());
  Mask left = p.mask;
  const bool reads_shared = in_shared && seen.kind != Access::write, doubts = !block.shared_doubts.empty();
  if (reads_shared && (doubts || semantics.echoes))
    shared_unwritten(actor, place);  // what was written may be doubtful all the same
  if (semantics.echoes) return;      // the program does not read here
  if (semantics.read_only) check_read_only(actor, place);
  if (!semantics.strong && !apart) {
    const SameEpochCheck look{actor.first_thread,
                              in_shared ? 0 : block.order.first_thread,
                              in_shared ? ~u32{0} : block.order.threads,
                              block.order.barrier,
                              actor.order.synced,
                              order_.now(),
                              in_shared ? block.order.start : 0,
                              at | flags_of(semantics),
                              1u << (w.index & 31)};
    if (p.shape == Pattern::Shape::contiguous) {
      const u64 cell = (seen.first - base) >> shift;
      const u32 by = u32(std::countr_zero(seen.bytes >> shift));
      if (seen.kind == Access::read && same_epoch_reads(shadow, cell, by, look)) return;
      if (seen.kind == Access::write && same_epoch_writes(shadow, cell, by, look)) return;
    }
    left = glance(actor, place, look);
    if (left == 0) return;
  }
  if (reads_shared && !doubts) shared_unwritten(actor, place);
  for_each_lane(left, [&](int lane) { touch(actor, place, seen.first + u64(p.offset[lane]) - base, lane); });
  // A strong write is told apart from what its thread did before it.
  if (semantics.publishes && plan_.passes_volatile()) order_.tick();
}

/// Enters what a quick look is enough for. @return the other lanes
Mask Watch::glance(const Actor& a, const Place& p, const SameEpochCheck& look) {
  auto& groups = groups_[p.at];
  if (groups == nullptr) groups = std::make_unique<Groups>();
  const Pattern& pattern = p.seen.pattern;
  if (groups->learned == 0 || groups->learned != pattern.learned) groups->find(pattern);
  const u32 shift = p.shadow.shift(), n = std::max(p.seen.bytes >> shift, 1u);
  const bool exact =
      a.block.order.common != nullptr || !a.block.order.known.empty() || a.order.lanes != nullptr;
  Mask left = 0;
  for (u32 i = 0; i < groups->size; ++i) {
    const u64 cell = (p.seen.first + u64(groups->offset[i]) - p.base) >> shift;
    const Mask lanes = groups->lanes[i];
    const bool one = (lanes & (lanes - 1)) == 0;
    const bool done = p.seen.kind == Access::read
                          ? same_epoch_read(p.shadow, cell, n, lanes, look, exact)
                          : one && p.seen.kind == Access::write &&
                                same_epoch_write(p.shadow, cell, n, first_lane(lanes), look);
    if (!done) left |= lanes;
  }
  return left;
}

void Watch::touch(const Actor& a, const Place& p, u64 offset, int lane) {
  const Shadow& s = p.shadow;
  BlockOrder& order = a.block.order;
  const u64 first = offset >> s.shift(), last = (offset + p.seen.bytes - 1) >> s.shift();
  const bool writes = p.seen.kind != Access::read;
  const u32 flags = flags_of(p.semantics), me = a.first_thread + u32(lane);
  const bool apart = p.in_shared && plan_.warps_meet_apart();
  if (apart && (order.reads.empty() || order.reads_shift != s.shift())) {
    order.reads.assign((s.bytes() >> s.shift()) + 1, {});
    order.reads_shift = s.shift();
  }
  if (p.semantics.strong) synchronise(a, p, p.base + offset, lane);
  const auto exempt = [&](const Earlier& e) {
    if ((e.at & kStrong) == 0 || !p.semantics.strong) return false;
    const bool same_block = p.in_shared || e.who - order.first_thread < order.threads;
    if (((e.at & kOfBlock) != 0 || p.semantics.of_block) && !same_block) return false;
    // Volatile keeps accesses, not the order of lanes: the habit of old reductions.
    const bool both_volatile = (e.at & kVolatile) != 0 && p.semantics.is_volatile;
    return !(p.in_shared && both_volatile && e.who / kLanes == me / kLanes);
  };
  const bool atomic = p.seen.kind == Access::atomic;
  for (u64 c = first; c <= last; ++c) {
    bool follows = false;
    if (s.write_when[c] != 0) {
      const Earlier e{s.write_who[c], s.write_when[c], s.write_at[c]};
      if (!order_.before(order, a.warp, lane, e, p.in_shared)) {
        const bool both_strong = exempt(e);
        follows = atomic && !p.in_shared && e.who - order.first_thread >= order.threads && both_strong;
        // A store that comes behind the last of the atomics comes behind all that this one has followed.
        const auto is_behind_last = [&] {
          const Earlier after{s.read_who[c], s.read_also[c], p.at};
          return writes && (e.at & kFollowed) != 0 && s.read_when[c] == 0 &&
                 order_.before(order, a.warp, lane, after, p.in_shared);
        };
        if (!both_strong && !is_behind_last())
          race(a, p, offset, lane, writes, e, true);
        else if (!writes && counts_on_order(a, p, lane, e))
          unfenced(a, p, offset, lane, e);
      }
    }
    Earlier r{s.read_who[c], s.read_when[c], s.read_at[c], s.read_also[c], s.read_set[c]};
    if (apart) r.by_warp = &order.reads[c];
    const bool readers_before = r.when == 0 || order_.before(order, a.warp, lane, r, p.in_shared);
    if (writes) {
      if (!readers_before && !exempt(r)) race(a, p, offset, lane, true, r, false);
      // An atomic hides no plain store that only its own thread is ordered with: others may still meet that
      // one.
      const Epoch seen_by_all = std::max(order.barrier, a.order.synced);
      if (p.semantics.strong && s.write_when[c] > seen_by_all && s.write_who[c] == me &&
          (s.write_at[c] & kStrong) == 0)
        continue;
      s.read_when[c] = 0;
      // Its thread is ordered with its own atomic: what it reads without order, as the last block of all may,
      // is what those of other blocks have left.
      if (follows) {
        s.write_at[c] |= kFollowed;
        s.read_who[c] = me;
        s.read_also[c] = order_.now();
        continue;
      }
      s.write_who[c] = me;
      s.write_when[c] = order_.now();
      s.write_at[c] = p.at | flags;
      continue;
    }
    if (apart) order.reads[c][a.warp] = order_.now();
    if (!readers_before && p.semantics.strong && (r.at & kStrong) == 0)
      continue;  // the plain reader counts for more
    const bool replace = readers_before || ((r.at & kStrong) != 0 && !p.semantics.strong);
    const bool in_warp = r.who / kLanes == me / kLanes,
               in_block = p.in_shared || r.who - order.first_thread < order.threads;
    const Readers wider = std::max(r.readers(), in_warp    ? Readers::warp
                                                : in_block ? Readers::block
                                                           : Readers::grid);
    const u32 lanes = (r.readers() == Readers::one ? 1u << r.who % kLanes : r.set) | 1u << lane;
    const u32 warps =
        (r.readers() == Readers::block ? r.set : 1u << ((r.who - order.first_thread) / kLanes & 31)) |
        1u << (a.warp & 31);
    if (replace) s.read_who[c] = me;
    s.read_when[c] = order_.now();
    s.read_at[c] = p.at | flags | (replace ? 0 : u32(wider) << kReadersShift);
    s.read_also[c] = me;
    s.read_set[c] = replace ? 0 : wider == Readers::warp ? lanes : warps;
  }
}

bool Watch::stores_what_is_there(const Actor& a, const Place& p, int lane, const Earlier& before) const {
  const StoredValues& v = p.seen.values;
  if (v.columns == nullptr || p.seen.host == nullptr) return false;
  const std::byte* there = p.seen.host + p.seen.pattern.offset[lane];
  // A store of another lane by this very instruction has not reached memory yet. Other warps may come to it
  // at the same moment, but one after the other.
  const bool same_warp = before.who - a.first_thread < u32(kLanes);
  const bool at_once = same_warp && (before.at & kPlaceMask) == p.at && before.when == order_.now();
  const u32 other = before.who % kLanes;
  for (u32 k = 0; k * v.element_bytes < p.seen.bytes; ++k) {
    const std::byte* const mine = v.columns[k] + u32(lane) * v.register_bytes;
    const std::byte* const its =
        at_once ? v.columns[k] + other * v.register_bytes : there + k * v.element_bytes;
    if (std::memcmp(mine, its, v.element_bytes) != 0) return false;
  }
  return true;
}

}  // namespace sim::sanitizer
