// Bulk copies, which the asynchronous proxy makes: into shared memory until a phase of an mbarrier ends, out
// of it until their group has been waited for; and what it reads of ordinary stores.
#include "simulator/engine/fault.h"
#include "simulator/engine/phase_barrier.h"
#include "simulator/engine/shared_name.h"
#include "simulator/sanitizer/race/race_detector.h"

namespace sim::sanitizer {

namespace {

constexpr std::size_t kProxyFences = 256;  ///< remembered of a block

/// Calls @p act(cell) for the cells of a piece.
template <class Act>
void each_cell(const Shadow& s, u64 offset, u32 bytes, Act act) {
  for (u64 c = offset >> s.shift(); c <= (offset + bytes - 1) >> s.shift(); ++c) act(c);
}

}  // namespace

void RaceDetector::bulk_copies(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes,
                               const SharedPlace& mbarrier, bool garbage) {
  check_initialisation(w, in, mbarrier, lane);
  HappensBefore& order = context_.order;
  PhaseOrder& phases = context_.blocks.of(*mbarrier.owner).mbarriers[u32(mbarrier.offset)];
  const u64 phase = exec::phases_ended(mbarrier);
  if (phase > phases.phase) check_missed_phases(*w.block->cluster, mbarrier, phases);
  (void)phases.arrivals_in(phase, order.now());
  keep_waits(w, lane, phases);
  copying_ = &phases;
  const Copy copy = enter_copy(w, in, lane, to, bytes, garbage);
  copying_ = nullptr;
  const u32 me = context_.blocks.of(*w.block).first_thread + w.index * kLanes + u32(lane);
  Arrivals& arrivals = phases.present;
  arrivals.copies.push_back({copy, me, true});
  // Who waits for the phase knows of the copy, also where its thread had arrived before it made the copy.
  auto mine = std::make_shared<VectorClock>();
  mine->add_thread(me, order.now());
  arrivals.known = join(arrivals.known, mine, order.now());
  // And of what the thread knew before.
  const Known before = context_.blocks.of(*w.block).known_of(w.index * kLanes + u32(lane));
  arrivals.known = join(arrivals.known, before, order.now());
  order.tick();
}

void RaceDetector::bulk_reads(Warp& w, const Instr& in, int lane, const SharedPlace& from, u32 bytes) {
  check_proxy(w, in, lane, from, bytes);
  BlockOrder& block = context_.blocks.of(*w.block);
  const u32 me = block.first_thread + w.index * kLanes + u32(lane);
  context_.blocks.of(*from.owner)
      .bulk_reads.push_back({u32(from.offset), bytes, me,
                             block.warps[w.index].async().bulk_group[std::size_t(lane)],
                             context_.code().index_of(in),
                             context_.analysis.wrappers().line_of(w.frame, context_.code().index_of(in))});
}

void RaceDetector::check_bulk_reads_at_end(const Block& block) {
  BlockOrder& b = context_.blocks.of(block);
  for (const BulkRead& r : b.bulk_reads) {
    const u32 thread = r.thread - b.first_thread;
    if (r.told || thread >= b.threads) continue;
    const FindingKey key{FindingKey::Kind::ended_block, r.at, FindingKey::kNobody};
    if (context_.collector.again(key)) continue;
    const Warp& w = block.warps[thread / kLanes];
    Finding& f = context_.collector.add(key, w, context_.code().instructions[r.at], int(thread % kLanes));
    exec::locate(f, r.line);
    f.space = MemorySpace::shared;
    f.access = AccessKind::read;
    f.symbol = exec::shared_name(context_.code(), r.offset, r.bytes);
    render_unwaited_copy(f, r.bytes, r.group < b.warps[w.index].async().bulk_group[thread % kLanes]);
  }
}

void RaceDetector::check_bulk_reads(const WarpAccess& a) {
  for_each_lane(a.seen.pattern.mask, [&](int lane) {
    const u64 offset = a.offset_of(lane);
    for (BulkRead& r : a.owner.bulk_reads) {
      if (offset >= u64(r.offset) + r.bytes || r.offset >= offset + a.seen.bytes) continue;
      r.told = true;
      const FindingKey key{FindingKey::Kind::pending_copy, a.at, r.at};
      if (context_.collector.again(key)) return;
      Finding& f = context_.collector.add(key, a.w, a.seen.in, lane);
      describe_operand(f, context_, a, offset);
      OtherParty other = writer(r.thread, r.at);
      exec::locate(other, r.line);
      other.access = AccessKind::read;
      render_overwritten(f, other);
      return;
    }
  });
}

void RaceDetector::bulk_writes(Warp& w, const Instr& in, int lane, u64 address, u32 bytes) {
  const u32 at = context_.code().index_of(in);
  GlobalShadow* const global = context_.globals.find(at, address);
  if (global == nullptr || context_.analysis.semantics(at).strong) return;  // a reduction is atomic
  AsyncOrder& order = context_.blocks.of(*w.block).warps[w.index].async();
  Shadow& s = global->shadow;
  each_cell(s, address - global->base, bytes, [&](u64 c) { s.write_at[c] |= kPending; });
  ++bulk_writes_;
  order.bulk_writes.push_back({address, bytes, u32(lane), order.bulk_group[std::size_t(lane)], at});
}

void RaceDetector::commits_bulk(const Warp& w) {
  AsyncOrder& order = context_.blocks.of(*w.block).warps[w.index].async();
  for_each_lane(w.active, [&](int lane) { ++order.bulk_group[std::size_t(lane)]; });
}

void RaceDetector::waits_for_bulk(Warp& w, u32 pending, bool reads) {
  BlockOrder& block = context_.blocks.of(*w.block);
  AsyncOrder& order = block.warps[w.index].async();
  const u32 first = block.first_thread + w.index * kLanes;
  const auto done = [&](u32 lane, u32 group) {
    return lane < u32(kLanes) && (w.active & kLaneBit[lane]) != 0 && group + pending < order.bulk_group[lane];
  };
  // What the copy has read counts as read now: who overwrites it has to come behind this wait.
  std::vector<BulkRead> over;
  std::erase_if(block.bulk_reads, [&](const BulkRead& r) {
    if (!done(r.thread - first, r.group)) return false;
    over.push_back(r);
    return true;
  });
  for (const BulkRead& r : over) {
    AccessPattern one;
    one.mask = kLaneBit[r.thread - first];
    const Instr& in = context_.code().instructions[r.at];
    const ObservedAccess seen{in,      Access::read, ptx::Space::shared, r.offset, one,
                              r.bytes, nullptr,      *w.block,           {}};
    check(*locate(w, seen, r.at), one.mask);
  }
  if (reads) return;
  std::erase_if(order.bulk_writes, [&](const BulkWrite& b) {
    if (!done(b.lane, b.group)) return false;
    --bulk_writes_;
    if (GlobalShadow* const global = context_.globals.find(b.at, b.address)) {
      Shadow& s = global->shadow;
      each_cell(s, b.address - global->base, b.bytes, [&](u64 c) {
        if (s.write_who[c] != first + b.lane || (s.write_at[c] & kPending) == 0) return;
        s.write_at[c] &= ~kPending;
        s.write_when[c] = context_.order.now();
      });
    }
    return true;
  });
}

void RaceDetector::proxy_fence(const Warp& w) {
  BlockOrder& b = context_.blocks.of(*w.block);
  const int lane = first_lane(w.active);
  if (b.proxy_fences.size() == kProxyFences) {
    b.forgotten_fences = b.proxy_fences.front().when;
    b.proxy_fences.pop_front();
  }
  b.proxy_fences.push_back({w.index, w.active, context_.order.now(), b.barrier, b.warps[w.index].synced,
                            b.known_of(w.index * kLanes + u32(lane))});
  context_.order.tick();
}

bool RaceDetector::fenced_for(const BlockOrder& b, u32 who, Epoch when, u32 warp, Mask lanes) const {
  if (when <= b.forgotten_fences) return true;
  for (auto f = b.proxy_fences.rbegin(); f != b.proxy_fences.rend(); ++f) {
    const u32 first = b.first_thread + f->warp * kLanes;
    const bool in_warp = who - first < u32(kLanes);
    const bool own = in_warp && (f->lanes & kLaneBit[who - first]) != 0;
    const bool stored_before = (own && when <= f->when) || when <= f->barrier ||
                               (in_warp && when <= f->synced) ||
                               (f->known != nullptr && f->known->of(b.index, who / kLanes, who) >= when);
    if (!stored_before) continue;
    if (f->warp == warp && (f->lanes & lanes) != 0) return true;
    const Earlier fence{first + u32(first_lane(f->lanes)), f->when, 0};
    bool before = false;
    for_each_lane(lanes,
                  [&](int lane) { before = before || context_.order.before(b, warp, lane, fence, true); });
    if (before) return true;
  }
  return false;
}

void RaceDetector::found_unfenced_proxy(Warp& w, const Instr& in, int lane, u64 cell, u32 who, u32 store) {
  const FindingKey key{FindingKey::Kind::unfenced_proxy, context_.code().index_of(in), store};
  if (context_.collector.again(key)) return;
  const u32 shift = context_.blocks.of(*w.block).shared.shift();
  Finding& f = context_.collector.add(key, w, in, lane);
  f.space = MemorySpace::shared;
  f.access = AccessKind::read;
  f.size = 1u << shift;
  f.symbol = exec::shared_name(context_.code(), u32(cell << shift), f.size);
  render_unfenced_proxy(f, writer(who, store), context_.code().source_of(in).opcode == "wgmma");
}

void RaceDetector::check_proxy(Warp& w, const Instr& in, int lane, const SharedPlace& from, u32 bytes) {
  BlockOrder& b = context_.blocks.of(*from.owner);
  const Shadow& s = b.shared;
  u32 known_who = 0;
  Epoch known_when = 0;
  bool told = false;
  each_cell(s, from.offset, bytes, [&](u64 c) {
    const u32 who = s.write_who[c];
    const Epoch when = s.write_when[c];
    if (told || when <= b.start || who - b.first_thread >= b.threads) return;
    if (who == known_who && when == known_when) return;
    const u32 store = s.write_at[c] & kInstructionMask;
    if (context_.analysis.semantics(store).async_copy) return;  // by the same proxy
    known_who = who, known_when = when;
    if (fenced_for(b, who, when, w.index, kLaneBit[std::size_t(lane)])) return;
    told = true;
    found_unfenced_proxy(w, in, lane, c, who, store);
  });
}

}  // namespace sim::sanitizer
