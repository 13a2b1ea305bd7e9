// Shuffles, votes and their like: who is named, who comes, and who is read from.
#include <algorithm>
#include <set>

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/barrier/barrier_detector.h"
#include "simulator/sanitizer/barrier/barrier_findings.h"

namespace sim::sanitizer {

namespace {

/// The lanes of a warp that exist.
Mask existing(const Warp& w) {
  const u32 threads = w.block->threads - std::min(w.block->threads, w.index * kLanes);
  return threads >= u32(kLanes) ? kAllLanes : (Mask{1} << threads) - 1;
}

/// The values of threadIdx.y in a warp, where lanes that are gone share theirs with no other; else 0.
u32 rows_apart(const Warp& w, Mask gone) {
  std::set<u32> rows, of_gone, of_others;
  for_each_lane(existing(w), [&](int lane) {
    const u32 y = w.block->thread_of(w, lane)[1];
    rows.insert(y);
    ((gone & kLaneBit[std::size_t(lane)]) != 0 ? of_gone : of_others).insert(y);
  });
  const bool shared =
      std::any_of(of_gone.begin(), of_gone.end(), [&](u32 y) { return of_others.contains(y); });
  return shared ? 0 : u32(rows.size());
}

/// The lane that each lane of a shfl.sync reads from; itself where the source is outside its segment.
class ShuffleSource {
 public:
  ShuffleSource(const Warp& w, const Instr& in, const ptx::Instruction& source)
      : by_(exec::lanes<u32>(w, in.op[3])),
        clamp_(exec::lanes<u32>(w, in.op[4])),
        idx_(source.has("idx")),
        up_(source.has("up")),
        down_(source.has("down")) {}

  bool by_distance() const { return !idx_; }

  u32 of(int lane) const {
    const u32 own = u32(lane), by = by_[lane] & 31, segment = clamp_[lane] >> 8 & 31;
    const u32 last = (own & segment) | (clamp_[lane] & 31 & ~segment);
    const u32 from = idx_ ? (own & segment) | (by & ~segment) : up_ ? own - by : down_ ? own + by : own ^ by;
    const bool outside = up_ ? int(from) < int(last) : from > last;
    return outside ? own : from;
  }

 private:
  const u32 *by_, *clamp_;
  bool idx_, up_, down_;
};

}  // namespace

UnnamedSource BarrierDetector::warp_primitive(Warp& w, const Instr& in, Mask lanes, Mask named) {
  UnnamedSource undefined;
  if (context_.code().source_of(in).opcode == "shfl") {
    undefined = check_shuffle_sources(w, in, lanes, named);
    check_shuffle_by_chance(w, in, lanes, named);
  }
  if ((w.live & ~lanes) == 0) blocks_.of(*w.block).warps[w.index].divergences = w.divergences;
  check_lanes_gone(w, in, lanes, named);
  return undefined;
}

void BarrierDetector::check_lanes_gone(const Warp& w, const Instr& in, Mask lanes, Mask named) {
  // That some lanes never existed, in a block of few threads, harms nobody who does not read from them.
  LanesGone gone{.named = named, .gone = named & ~w.live & existing(w), .left = {}};
  if (gone.gone == 0) return;
  const FindingKey s{FindingKey::Kind::mask, context_.code().index_of(in), FindingKey::kNobody, 0};
  if (context_.collector.again(s)) return;
  Finding& f = context_.collector.add(s, w, in, first_lane(lanes));
  const auto left =
      std::find_if(w.left.begin(), w.left.end(), [&](const Left& l) { return (l.lanes & gone.gone) != 0; });
  if (left != w.left.end()) {
    gone.known = true;
    gone.thread = w.block->thread_of(w, first_lane(left->lanes & gone.gone));
    gone.left = place_of_exit(left->pc);
  }
  gone.rows = rows_apart(w, gone.gone);
  gone.block = {context_.launch.block[0], context_.launch.block[1], context_.launch.block[2]};
  render(f, gone);
}

UnnamedSource BarrierDetector::check_shuffle_sources(const Warp& w, const Instr& in, Mask lanes, Mask named) {
  const ShuffleSource source(w, in, context_.code().source_of(in));
  UnnamedSource unnamed;
  for_each_lane(lanes, [&](int lane) {
    const u32 from = source.of(lane);
    const bool missing = (existing(w) & kLaneBit[from]) == 0;
    if (!missing && (named & kLaneBit[from]) != 0) return;
    if (!missing && source.by_distance()) {
      const Mask one = kLaneBit[std::size_t(lane)];
      if ((w.active & one) != 0) unnamed = {unnamed.lanes | one, lane, int(from)};
      return;
    }
    const FindingKey s{FindingKey::Kind::mask, context_.code().index_of(in), FindingKey::kNobody, 1};
    if (context_.collector.again(s)) return;
    Finding& f = context_.collector.add(s, w, in, lane);
    if (missing)
      render_missing_lane(f, lane, int(from));
    else
      render_unnamed_lane(f, lane, int(from), named, true);
  });
  return unnamed;
}

Finding BarrierDetector::finding(const Warp& w, const Instr& in, const UnnamedSource& read,
                                 Mask named) const {
  Finding f;
  f.kind = FindingKind::mask;
  f.kernel = context_.code().kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, read.lane);
  exec::locate(f, w, in);
  render_unnamed_lane(f, read.lane, read.source, named, false);
  return f;
}

void BarrierDetector::reads_active_mask(const Warp& w) {
  Convergence& warp = blocks_.of(*w.block).warps[w.index];
  warp.active_mask = w.active;
  warp.diverged = warp.divergences != w.divergences;
}

void BarrierDetector::check_shuffle_by_chance(const Warp& w, const Instr& in, Mask lanes, Mask named) {
  const u32 at = context_.code().index_of(in);
  const Convergence& warp = blocks_.of(*w.block).warps[w.index];
  if (!context_.analysis.semantics(at).activemask_shuffle || !warp.diverged || named != warp.active_mask)
    return;
  const FindingKey s{FindingKey::Kind::mask, at, FindingKey::kNobody, 2};
  if (context_.collector.again(s)) return;
  render_by_chance(context_.collector.add(s, w, in, first_lane(lanes)), named);
}

}  // namespace sim::sanitizer
