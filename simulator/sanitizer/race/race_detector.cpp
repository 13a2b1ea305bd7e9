// The accesses: entered at once where their order is plain, else held against all earlier ones.
#include "simulator/sanitizer/race/race_detector.h"

#include <cstring>

#include "simulator/engine/fault.h"

namespace sim::sanitizer {

namespace {

u32 flags_of(const MemorySemantics& m) {
  return (m.strong ? kStrong : 0) | (m.of_block ? kOfBlock : 0) | (m.is_volatile ? kVolatile : 0);
}

/// Whether two instructions belong to one statement of the source, where nvcc says where it starts.
bool same_statement(const Code& code, u32 a, u32 b) {
  const ptx::Location &x = ptx::user_location(*code.module, code.sources[a]->location),
                      &y = ptx::user_location(*code.module, code.sources[b]->location);
  return code.module->debug && x.line > 0 && x.file == y.file && x.line == y.line && x.column == y.column;
}

bool in_block(const WarpAccess& a, u32 who) {
  return a.in_shared || who - a.block.first_thread < a.block.threads;
}

}  // namespace

void RaceDetector::block_starts(const Block& block) {
  context_.order.starts(context_.blocks.of(block), u32(block.index));
  VolatileOrder& handed_over = volatile_order_.of(block);
  handed_over.released.clear();
  handed_over.acquired.clear();
}

std::optional<WarpAccess> RaceDetector::locate(Warp& w, const Seen& seen, u32 at) {
  BlockOrder& block = context_.blocks.of(*w.block);
  const bool in_shared = seen.space == ptx::Space::shared;
  GlobalShadow* const global = in_shared ? nullptr : context_.globals.find(at, seen.first);
  if (!in_shared && global == nullptr) return std::nullopt;
  Shadow& shadow = in_shared ? block.shared : global->shadow;
  if (seen.bytes < 4 && shadow.shift() != 0 && (1u << shadow.shift()) > seen.bytes) shadow.refine(seen.bytes);
  return WarpAccess{w,
                    seen,
                    at,
                    context_.plan.semantics(at),
                    block,
                    block.warps[w.index],
                    block.first_thread + w.index * kLanes,
                    shadow,
                    in_shared ? 0 : global->base,
                    in_shared};
}

Mask RaceDetector::enter_same_epoch(const WarpAccess& a) {
  if (a.semantics.read_only) check_read_only(a);
  const Pattern& pattern = a.seen.pattern;
  const bool apart = a.in_shared && (a.block.copies != 0 || context_.plan.warps_meet_apart());
  if (a.semantics.strong || apart) return pattern.mask;
  const SameEpochCheck look{a.first_thread,
                            a.in_shared ? 0 : a.block.first_thread,
                            a.in_shared ? ~u32{0} : a.block.threads,
                            a.block.barrier,
                            a.order.synced,
                            context_.order.now(),
                            a.in_shared ? a.block.start : 0,
                            a.at | flags_of(a.semantics),
                            1u << (a.w.index & 31)};
  if (pattern.shape == Pattern::Shape::contiguous) {
    const u32 shift = a.shadow.shift();
    const u64 cell = (a.seen.first - a.base) >> shift;
    const u32 by = u32(std::countr_zero(a.seen.bytes >> shift));
    if (a.seen.kind == Access::read && same_epoch_reads(a.shadow, cell, by, look)) return 0;
    if (a.seen.kind == Access::write && same_epoch_writes(a.shadow, cell, by, look)) return 0;
  }
  return enter_groups(a, look);
}

Mask RaceDetector::enter_groups(const WarpAccess& a, const SameEpochCheck& look) {
  auto& groups = groups_[a.at];
  if (groups == nullptr) groups = std::make_unique<Groups>();
  const Pattern& pattern = a.seen.pattern;
  if (groups->learned == 0 || groups->learned != pattern.learned) groups->find(pattern);
  const u32 shift = a.shadow.shift(), n = std::max(a.seen.bytes >> shift, 1u);
  const bool exact = a.block.common != nullptr || !a.block.known.empty() || a.order.lanes != nullptr;
  Mask left = 0;
  for (u32 i = 0; i < groups->size; ++i) {
    const u64 cell = (a.seen.first + u64(groups->offset[i]) - a.base) >> shift;
    const Mask lanes = groups->lanes[i];
    const bool one = (lanes & (lanes - 1)) == 0;
    const bool done = a.seen.kind == Access::read
                          ? same_epoch_read(a.shadow, cell, n, lanes, look, exact)
                          : one && a.seen.kind == Access::write &&
                                same_epoch_write(a.shadow, cell, n, first_lane(lanes), look);
    if (!done) left |= lanes;
  }
  return left;
}

void RaceDetector::check(const WarpAccess& a, Mask lanes) {
  for_each_lane(lanes, [&](int lane) { touch(a, lane); });
  // A strong write is told apart from what its thread did before it.
  if (a.semantics.publishes && context_.plan.passes_volatile()) context_.order.tick();
}

void RaceDetector::touch(const WarpAccess& a, int lane) {
  const u64 offset = a.offset_of(lane);
  const u32 shift = a.shadow.shift();
  BlockOrder& block = a.block;
  if (a.in_shared && context_.plan.warps_meet_apart() && (block.reads.empty() || block.reads_shift != shift)) {
    block.reads.assign((a.shadow.bytes() >> shift) + 1, {});
    block.reads_shift = shift;
  }
  if (a.semantics.strong) synchronise(a, a.base + offset, lane);
  const u64 last = (offset + a.seen.bytes - 1) >> shift;
  for (u64 cell = offset >> shift; cell <= last; ++cell) touch_cell(a, cell, offset, lane);
}

bool RaceDetector::both_strong(const WarpAccess& a, int lane, const Earlier& e) {
  if ((e.at & kStrong) == 0 || !a.semantics.strong) return false;
  if (((e.at & kOfBlock) != 0 || a.semantics.of_block) && !in_block(a, e.who)) return false;
  // Volatile keeps accesses, not the order of lanes: the habit of old reductions.
  const bool both_volatile = (e.at & kVolatile) != 0 && a.semantics.is_volatile;
  return !(a.in_shared && both_volatile && e.who / kLanes == (a.first_thread + u32(lane)) / kLanes);
}

/// @param[out] follows  an atomic that comes, unordered, behind one of another block
void RaceDetector::check_last_write(const WarpAccess& a, u64 cell, u64 offset, int lane, bool& follows) {
  const Shadow& s = a.shadow;
  if (s.write_when[cell] == 0) return;
  const HappensBefore& order = context_.order;
  const Earlier e{s.write_who[cell], s.write_when[cell], s.write_at[cell]};
  if (order.before(a.block, a.w.index, lane, e, a.in_shared)) return;
  const bool writes = a.seen.kind != Access::read, strong = both_strong(a, lane, e);
  follows = a.seen.kind == Access::atomic && !in_block(a, e.who) && strong;
  // A store that comes behind the last of the atomics comes behind all that this one has followed.
  const auto is_behind_last = [&] {
    const Earlier after{s.read_who[cell], s.read_also[cell], a.at};
    return writes && (e.at & kFollowed) != 0 && s.read_when[cell] == 0 &&
           order.before(a.block, a.w.index, lane, after, a.in_shared);
  };
  if (!strong && !is_behind_last())
    found(a, offset, lane, e, true);
  else if (!writes && relies_on_order(a, lane, e))
    found_unfenced(a, offset, lane, e);
}

void RaceDetector::touch_cell(const WarpAccess& a, u64 cell, u64 offset, int lane) {
  const Shadow& s = a.shadow;
  BlockOrder& block = a.block;
  const u32 me = a.first_thread + u32(lane), at = a.at | flags_of(a.semantics);
  const bool apart = a.in_shared && context_.plan.warps_meet_apart();
  const Epoch now = context_.order.now();
  bool follows = false;
  check_last_write(a, cell, offset, lane, follows);
  Earlier r{s.read_who[cell], s.read_when[cell], s.read_at[cell], s.read_also[cell], s.read_set[cell]};
  if (apart) r.by_warp = &block.reads[cell];
  const bool readers_before =
      r.when == 0 || context_.order.before(block, a.w.index, lane, r, a.in_shared);
  if (a.seen.kind != Access::read) {
    if (!readers_before && !both_strong(a, lane, r)) found(a, offset, lane, r, false);
    // An atomic hides no plain store that only its own thread is ordered with: others may still meet that one.
    const Epoch seen_by_all = std::max(block.barrier, a.order.synced);
    if (a.semantics.strong && s.write_when[cell] > seen_by_all && s.write_who[cell] == me &&
        (s.write_at[cell] & kStrong) == 0)
      return;
    s.read_when[cell] = 0;
    // Its thread is ordered with its own atomic: what it reads without order, as the last block of all may, is
    // what those of other blocks have left.
    if (follows) {
      s.write_at[cell] |= kFollowed;
      s.read_who[cell] = me;
      s.read_also[cell] = now;
      return;
    }
    s.write_who[cell] = me;
    s.write_when[cell] = now;
    s.write_at[cell] = at;
    return;
  }
  if (apart) block.reads[cell][a.w.index] = now;
  if (!readers_before && a.semantics.strong && (r.at & kStrong) == 0) return;  // the plain reader counts for more
  const bool replace = readers_before || ((r.at & kStrong) != 0 && !a.semantics.strong);
  s.read_when[cell] = now;
  s.read_also[cell] = me;
  if (replace) {
    s.read_who[cell] = me;
    s.read_at[cell] = at;
    s.read_set[cell] = 0;
    return;
  }
  const ReaderSet all =
      ReaderSet{u32(r.readers()), r.who, r.set}.with({1u << lane, 1u << (a.w.index & 31), block.first_thread,
                                                      r.who / kLanes == me / kLanes, in_block(a, r.who)});
  s.read_at[cell] = at | all.readers << kReadersShift;
  s.read_set[cell] = all.set;
}

bool RaceDetector::stores_what_is_there(const WarpAccess& a, int lane, const Earlier& before) const {
  const StoredValues& v = a.seen.values;
  if (v.columns == nullptr || a.seen.host == nullptr) return false;
  const std::byte* there = a.seen.host + a.seen.pattern.offset[lane];
  // A store of another lane by this very instruction has not reached memory yet. Other warps may come to it at
  // the same moment, but one after the other.
  const bool same_warp = before.who - a.first_thread < u32(kLanes);
  const bool at_once =
      same_warp && (before.at & kPlaceMask) == a.at && before.when == context_.order.now();
  const u32 other = before.who % kLanes;
  for (u32 k = 0; k * v.element_bytes < a.seen.bytes; ++k) {
    const std::byte* const mine = v.columns[k] + u32(lane) * v.register_bytes;
    const std::byte* const its =
        at_once ? v.columns[k] + other * v.register_bytes : there + k * v.element_bytes;
    if (std::memcmp(mine, its, v.element_bytes) != 0) return false;
  }
  return true;
}

void RaceDetector::found(const WarpAccess& a, u64 offset, int lane, const Earlier& e, bool earlier_writes) {
  const Access kind = a.seen.kind;
  const u32 other_at = e.at & kPlaceMask;
  Race race;
  race.pending = (e.at & kPending) != 0;
  const bool other_atomic = (e.at & kStrong) != 0 && (e.at & kVolatile) == 0 && earlier_writes;
  race.plain_stores = kind == Access::write && earlier_writes && !other_atomic && !race.pending;
  race.equal = race.plain_stores && stores_what_is_there(a, lane, e);
  const Plan& plan = context_.plan;
  const MemorySemantics& its = plan.semantics(other_at);
  if (a.semantics.of_groups && its.of_groups) return;
  // A compare-and-swap checks the value that a plain read beside atomics expects there.
  if ((a.semantics.guesses && other_atomic) || (its.guesses && !earlier_writes && kind == Access::atomic))
    return;
  const u32 me = a.first_thread + u32(lane), who = e.who == me && e.also != 0 ? e.also : e.who;
  const u32 threads = a.block.threads;
  FindingCollector& collector = context_.collector;
  race.in_shared = a.in_shared;
  race.other.block = a.in_shared ? a.w.block->id : collector.block_of(who / threads);
  race.same_block = race.other.block == a.w.block->id;
  race.same_warp = race.same_block && who / kLanes == me / kLanes;
  const u8 reach = race.same_warp ? 0 : race.same_block ? 1 : 2;
  const Sighting s{race.pending ? Sighting::Kind::pending_copy : Sighting::Kind::race, a.at, other_at,
                   u8(race.equal), reach};
  if (collector.again(s)) return;
  Finding& f = collector.add(s, a.w, a.seen.in, lane);
  const Code& code = context_.code();
  race.lines = collector.lines_of(other_at);
  race.in_toolkit = race.lines.empty() && ptx::is_toolkit_file(f.file);
  race.other.thread = collector.thread_of(who % threads);
  const std::string& opcode = code.sources[other_at]->opcode;
  race.other.access = !earlier_writes ? "read" : opcode == "atom" || opcode == "red" ? "atomic" : "write";
  if (race.lines.empty()) {  // the toolkit's, as this one
    Finding place;
    exec::locate(place, *code.module, *code.sources[other_at]);
    const bool known = place.line > 0;
    race.other.line = known ? place.line : f.line, race.other.file = known ? place.file : f.file;
  }
  race.one_warp = threads <= u32(kLanes);
  race.one_instruction = a.at == other_at;
  race.one_statement = same_statement(code, a.at, other_at);
  race.same_epoch = e.when == context_.order.now();
  race.read_modify_write = plan.one_update(a.at, other_at);
  race.atomic = (kind == Access::atomic) != other_atomic;
  race.plain_store = kind == Access::write || race.other.access == "write";
  race.overwrites = kind == Access::write && !earlier_writes;
  race.of_block = a.semantics.of_block || its.of_block;
  describe_operand(f, context_, a, offset);
  render(f, race);
}

}  // namespace sim::sanitizer
