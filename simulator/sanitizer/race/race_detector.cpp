// The accesses: entered at once where their order is plain, else held against all earlier ones.
#include "simulator/sanitizer/race/race_detector.h"

#include <cstring>

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/analysis/loop_rounds.h"

namespace sim::sanitizer {

namespace {

u32 flags_of(const MemorySemantics& m) {
  return (m.strong ? kStrong : 0) | (m.of_block ? kOfBlock : 0) | (m.is_volatile ? kVolatile : 0);
}

constexpr std::size_t kMostCalls = 3;  ///< of a function in a header, that are told

/// Whether two instructions belong to one statement of the source, where nvcc says where it starts.
bool same_statement(const Code& code, u32 a, u32 b) {
  const ptx::Location &x = ptx::user_location(*code.module, code.sources[a]->location),
                      &y = ptx::user_location(*code.module, code.sources[b]->location);
  return code.module->debug && x.line > 0 && x.file == y.file && x.line == y.line && x.column == y.column;
}

}  // namespace

void RaceDetector::block_starts(const Block& block) {
  context_.order.starts(context_.blocks.of(block), u32(block.index), block.cluster);
  VolatileOrder& handed_over = volatile_order_.of(block);
  handed_over.released.clear();
  handed_over.acquired.clear();
}

Mask RaceDetector::enter_same_epoch(const WarpAccess& a) {
  if (a.semantics.read_only) check_read_only(a);
  if (context_.launch.device >= 0 && a.semantics.strong && !a.in_shared) check_reach(a);
  const AccessPattern& pattern = a.seen.pattern;
  const bool remote = &a.owner != &a.block;
  if (remote) enter_remote(a);
  if (a.in_shared && a.seen.kind != Access::read && !a.owner.bulk_reads.empty()) check_bulk_reads(a);
  if (a.in_shared && a.seen.kind != Access::read && !a.owner.products.empty()) check_product_reads(a);
  const bool apart = a.in_shared && (remote || a.owner.copies != 0 || context_.analysis.warps_meet_apart());
  const bool written_in_bulk = !a.in_shared && bulk_writes_ != 0;
  if (a.semantics.strong || apart || written_in_bulk) return pattern.mask;
  const SameEpochCheck look{a.first_thread,
                            a.block.first_thread,
                            a.of_one_block ? ~u32{0} : a.block.threads - 1,
                            a.block.barrier,
                            a.order.synced,
                            context_.order.now(),
                            a.in_shared ? a.owner.start : 0,
                            a.at | flags_of(a.semantics),
                            1u << (a.w.index & 31)};
  if (pattern.shape == AccessPattern::Shape::contiguous) {
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
  if (groups == nullptr) groups = std::make_unique<LaneGroups>();
  const AccessPattern& pattern = a.seen.pattern;
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
  if (a.semantics.publishes && context_.analysis.passes_volatile()) context_.order.tick();
}

bool RaceDetector::LaneAccess::strong_beside(const Earlier& e) const {
  const MemorySemantics& mine = warp.semantics;
  if ((e.at & kStrong) == 0 || !mine.strong) return false;
  if (((e.at & kOfBlock) != 0 || mine.of_block) && !in_block(e.who)) return false;
  // Volatile keeps accesses, not the order of lanes: the habit of old reductions.
  const bool both_volatile = (e.at & kVolatile) != 0 && mine.is_volatile;
  return !(warp.in_shared && both_volatile && e.who / kLanes == who / kLanes);
}

SIM_INLINE bool RaceDetector::check_last_write(const LaneAccess& a, u64 cell) {
  const Shadow& s = a.warp.shadow;
  // A copy that the block before left on its way may still arrive here.
  const bool on_its_way = (s.write_at[cell] & kPending) != 0;
  if (s.write_when[cell] == 0 || (s.write_when[cell] <= a.void_until && !on_its_way)) return false;
  const auto before = [&](const Earlier& e) {
    return context_.order.before(a.warp.block, a.warp.w.index, a.lane, e, a.warp.of_one_block);
  };
  const Earlier e{s.write_who[cell], s.write_when[cell], s.write_at[cell]};
  if (before(e)) return false;
  const bool writes = a.warp.seen.kind != Access::read, strong = a.strong_beside(e);
  // A store that comes behind the last of the atomics comes behind all that this one has followed.
  const auto is_behind_last = [&] {
    return writes && (e.at & kFollowed) != 0 && s.read_when[cell] == 0 &&
           before({s.read_who[cell], s.read_also[cell], a.warp.at});
  };
  if (!strong && !is_behind_last())
    found(a.warp, a.offset, a.lane, e, true);
  else if (!writes && relies_on_order(a.warp, a.lane, e))
    found_unfenced(a.warp, a.offset, a.lane, e);
  return a.warp.seen.kind == Access::atomic && !a.in_block(e.who) && strong;
}

SIM_INLINE void RaceDetector::write_cell(const LaneAccess& a, u64 cell, const Earlier& readers,
                                         bool readers_before, bool follows) {
  if (!readers_before && !a.strong_beside(readers)) found(a.warp, a.offset, a.lane, readers, false);
  const Shadow& s = a.warp.shadow;
  // An atomic hides no plain store that only its own thread is ordered with: others may still meet that one.
  const Epoch seen_by_all = std::max(a.warp.block.barrier, a.warp.order.synced);
  if (a.warp.semantics.strong && s.write_when[cell] > seen_by_all && s.write_who[cell] == a.who &&
      (s.write_at[cell] & kStrong) == 0)
    return;
  s.read_when[cell] = 0;
  // Its thread is ordered with its own atomic: what it reads without order, as the last block of all may, is
  // what those of other blocks have left.
  if (follows) {
    s.write_at[cell] |= kFollowed;
    s.read_who[cell] = a.who;
    s.read_also[cell] = a.now;
    return;
  }
  s.write_who[cell] = a.who;
  s.write_when[cell] = a.now;
  s.write_at[cell] = a.at;
}

SIM_INLINE void RaceDetector::read_cell(const LaneAccess& a, u64 cell, const Earlier& readers,
                                        bool readers_before) {
  const Shadow& s = a.warp.shadow;
  const bool strong = a.warp.semantics.strong, strong_readers = (readers.at & kStrong) != 0;
  if (a.apart) a.warp.owner.reads[cell][a.warp.w.index] = a.now;
  if (!readers_before && strong && !strong_readers) return;  // the plain reader counts for more
  s.read_when[cell] = a.now;
  s.read_also[cell] = a.who;
  if (readers_before || (strong_readers && !strong)) {
    s.read_who[cell] = a.who;
    s.read_at[cell] = a.at;
    s.read_set[cell] = 0;
    return;
  }
  const ReaderSet before{u32(readers.readers()), readers.who, readers.set};
  const ReaderSet all = before.with({.lanes = 1u << a.lane,
                                     .warp_bit = 1u << (a.warp.w.index & 31),
                                     .block_first = a.warp.block.first_thread,
                                     .in_warp = readers.who / kLanes == a.who / kLanes,
                                     .in_block = a.in_block(readers.who)});
  s.read_at[cell] = a.at | all.readers << kReadersShift;
  s.read_set[cell] = all.set;
}

void RaceDetector::touch(const WarpAccess& warp, int lane) {
  const Shadow& s = warp.shadow;
  BlockOrder& block = warp.block;
  BlockOrder& owner = warp.owner;
  const u64 offset = warp.offset_of(lane);
  if (warp.semantics.strong) synchronise(warp, warp.base + offset, lane);
  const LaneAccess a{warp,
                     lane,
                     offset,
                     warp.first_thread + u32(lane),
                     warp.at | flags_of(warp.semantics),
                     context_.order.now(),
                     warp.in_shared && (context_.analysis.warps_meet_apart() || context_.clustered()),
                     warp.in_shared ? owner.start : 0};
  if (a.apart && (owner.reads.empty() || owner.reads_shift != s.shift())) {
    owner.reads.assign((s.bytes() >> s.shift()) + 1, {});
    owner.reads_shift = s.shift();
  }
  const u64 last = (offset + warp.seen.bytes - 1) >> s.shift();
  for (u64 cell = offset >> s.shift(); cell <= last; ++cell) {
    const bool follows = check_last_write(a, cell);
    Earlier readers{s.read_who[cell], s.read_when[cell], s.read_at[cell], s.read_also[cell],
                    s.read_set[cell]};
    if (a.apart) readers.by_warp = &owner.reads[cell];
    readers.in_cluster = warp.in_shared;
    const bool readers_before = readers.when <= a.void_until ||
                                context_.order.before(block, warp.w.index, lane, readers, warp.of_one_block);
    if (warp.seen.kind == Access::read)
      read_cell(a, cell, readers, readers_before);
    else
      write_cell(a, cell, readers, readers_before, follows);
  }
}

bool RaceDetector::stores_what_is_there(const WarpAccess& a, int lane, const Earlier& before) const {
  const StoredValues& v = a.seen.values;
  if (v.columns == nullptr || a.seen.host == nullptr) return false;
  const std::byte* there = a.seen.host + a.seen.pattern.offset[lane];
  // A store of another lane by this very instruction has not reached memory yet. Other warps may come to it
  // at the same moment, but one after the other.
  const bool same_warp = before.who - a.first_thread < u32(kLanes);
  const bool at_once =
      same_warp && (before.at & kInstructionMask) == a.at && before.when == context_.order.now();
  const u32 other = before.who % kLanes;
  for (u32 k = 0; k * v.element_bytes < a.seen.bytes; ++k) {
    const std::byte* const mine = v.columns[k] + u32(lane) * v.register_bytes;
    const std::byte* const its =
        at_once ? v.columns[k] + other * v.register_bytes : there + k * v.element_bytes;
    if (std::memcmp(mine, its, v.element_bytes) != 0) return false;
  }
  return true;
}

namespace {

/// Of an earlier access's threads, one that is not @p me, who may be among its readers.
u32 other_party(const Earlier& e, u32 me, bool earlier_writes) {
  if (earlier_writes || e.who != me) return e.who;
  const u32 others = e.set & ~(1u << me % u32(kLanes));
  return e.readers() == Readers::warp && others != 0 ? me - me % u32(kLanes) + u32(first_lane(others))
                                                     : e.also;
}

}  // namespace

void RaceDetector::note_group(Race& race, const WarpAccess& a, u64 offset, u32 who) const {
  const u32 thread = who - a.block.first_thread;
  if (!a.in_shared || thread >= a.block.threads) return;
  const auto& order = a.block.warps[thread / kLanes].in_flight;
  if (order == nullptr) return;
  for (const Copy& c : order->copies) {
    if (c.owner != &a.owner || c.lane != thread % kLanes || offset < c.offset || offset >= c.offset + c.bytes)
      continue;
    const u32 open = order->group[c.lane];
    race.uncommitted = c.group == open;
    if (!race.uncommitted) race.later_groups = open - c.group - 1;
  }
}

void RaceDetector::found(const WarpAccess& a, u64 offset, int lane, const Earlier& e, bool earlier_writes) {
  const Access kind = a.seen.kind;
  const u32 other_at = e.at & kInstructionMask;
  Race race;
  race.pending = (e.at & kPending) != 0;
  race.bulk = context_.code().sources[other_at]->has("bulk");
  const bool other_atomic = (e.at & kStrong) != 0 && (e.at & kVolatile) == 0 && earlier_writes;
  race.plain_stores = kind == Access::write && earlier_writes && !other_atomic && !race.pending;
  race.equal = race.plain_stores && stores_what_is_there(a, lane, e);
  const KernelAnalysis& analysis = context_.analysis;
  const MemorySemantics& its = analysis.semantics(other_at);
  if (a.semantics.of_groups && its.of_groups) return;
  // A compare-and-swap checks the value that a plain read beside atomics expects there.
  if ((a.semantics.expected_value && other_atomic) ||
      (its.expected_value && !earlier_writes && kind == Access::atomic))
    return;
  const u32 me = a.first_thread + u32(lane), who = other_party(e, me, earlier_writes);
  const u32 threads = a.block.threads;
  FindingCollector& collector = context_.collector;
  race.in_shared = a.in_shared;
  race.block_left = race.pending && !race.bulk && e.when <= a.owner.start;
  race.other.block = a.of_one_block && !race.block_left ? a.w.block->id : collector.block_of(who / threads);
  race.same_block = race.other.block == a.w.block->id;
  race.same_warp = race.same_block && who / kLanes == me / kLanes;
  const u8 reach = race.same_warp ? 0 : race.same_block ? 1 : 2;
  const FindingKey s{race.pending ? FindingKey::Kind::pending_copy : FindingKey::Kind::race, a.at, other_at,
                     u8(race.equal), reach};
  if (collector.again(s)) return;
  Finding& f = collector.add(s, a.w, a.seen.in, lane);
  const Code& code = context_.code();
  race.lines = collector.lines_of(other_at);
  // Of many calls of a function of the student's the line in it is told; the toolkit's have none.
  if (const SourceLine own = collector.line_of(other_at); race.lines.size() > kMostCalls && own.line > 0)
    race.lines = {own};
  else if (!race.bulk && !race.lines.empty() && own.line > 0 && race.lines.front().file != own.file)
    race.other.inside = own;
  race.waits_for_flags = context_.analysis.waits_for_flags();
  race.exchanges = context_.analysis.exchanges();
  race.has_mbarriers = !a.block.mbarriers.empty();
  race.in_toolkit = race.lines.empty() && ptx::is_toolkit_file(f.file);
  race.other.thread = collector.thread_of(who % threads);
  const std::string& opcode = code.sources[other_at]->opcode;
  const bool updates = opcode == "atom" || opcode == "red";
  race.other.access = !earlier_writes ? AccessKind::read : updates ? AccessKind::atomic : AccessKind::write;
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
  race.read_modify_write = analysis.is_read_modify_write(a.at, other_at);
  race.combines_elements = analysis.combines_elements(a.at, other_at);
  race.atomic = (kind == Access::atomic) != other_atomic;
  race.plain_store = other_atomic ? kind == Access::write : race.other.access == AccessKind::write;
  race.overwrites = kind == Access::write && !earlier_writes;
  race.of_block = a.semantics.of_block || its.of_block;
  if (race.pending && !race.bulk && !race.block_left) note_group(race, a, offset, who);
  race.next_round =
      race.same_block && race.lines.size() == 1 && is_met_next_round(code, race.lines[0], {f.file, f.line});
  describe_operand(f, context_, a, offset);
  if (race.pending && race.bulk && a.in_shared) race.wait = wait_before_copy(a.owner, offset, me);
  // Who has read before, behind a wait for a phase that none has ended yet.
  if (!earlier_writes && copying_ != nullptr && copying_->phase == 0)
    race.wait = wait_of_warp(*copying_, who);
  render(f, race);
}

}  // namespace sim::sanitizer
