#include "simulator/sanitizer/race/product_reads.h"

#include <algorithm>

#include "simulator/engine/fault.h"
#include "simulator/engine/shared_name.h"
#include "simulator/sanitizer/race/race_detector.h"

namespace sim::sanitizer {

ProductRead& ProductReads::under_way(u32 at, u32 warpgroup, const SourceLine& line,
                                     const std::array<u32, kWarpsOfGroup>& group) {
  if (all_.empty() || all_.back().at != at || all_.back().warpgroup != warpgroup ||
      all_.back().group != group)
    all_.push_back({at, warpgroup, line, group, {}});
  return all_.back();
}

void ProductReads::reads(u32 offset) {
  const u32 warpgroup = all_.back().warpgroup;
  if (last_.size() <= warpgroup) last_.resize(warpgroup + 1);
  std::vector<u32>& pieces = last_[warpgroup];
  if (pieces.size() <= offset / kPiece) pieces.resize(offset / kPiece + 1);
  pieces[offset / kPiece] = u32(all_.size());
}

void ProductReads::waits(u32 warp, u32 end, Epoch now) {
  const u32 warpgroup = warp / kWarpsOfGroup, i = warp % kWarpsOfGroup;
  for (auto read = all_.rbegin(); read != all_.rend(); ++read) {
    if (read->warpgroup != warpgroup || read->group[i] >= end) continue;
    if (read->waited[i] != 0) return;  // and all before
    read->waited[i] = now;
  }
}

void RaceDetector::commits_products(const Warp& w) {
  ++context_.blocks.of(*w.block).warps[w.index].async().product_group;
}

void RaceDetector::waits_for_products(const Warp& w, u32 pending) {
  BlockOrder& block = context_.blocks.of(*w.block);
  const u32 open = block.warps[w.index].async().product_group;
  if (open > pending) block.products.waits(w.index, open - pending, context_.order.now());
}

void RaceDetector::product_reads(Warp& w, const Instr& in, std::span<const u32> pieces) {
  BlockOrder& block = context_.blocks.of(*w.block);
  const u32 at = context_.code().index_of(in), warpgroup = w.index / kWarpsOfGroup;
  std::array<u32, kWarpsOfGroup> group;
  for (u32 i = 0; i < kWarpsOfGroup; ++i)
    group[i] = block.warps[warpgroup * kWarpsOfGroup + i].async().product_group;
  block.products.under_way(at, warpgroup, context_.analysis.wrappers().line_of(w.frame, at), group);
  for (const u32 piece : pieces) {
    block.products.reads(piece);
    if (!check_product_source(w, in, piece)) return;
  }
}

bool RaceDetector::check_product_source(Warp& w, const Instr& in, u32 piece) {
  BlockOrder& b = context_.blocks.of(*w.block);
  const Shadow& s = b.shared;
  for (u64 c = piece >> s.shift(); c <= (piece + ProductReads::kPiece - 1) >> s.shift(); ++c) {
    const u32 who = s.write_who[c], flags = s.write_at[c];
    const Epoch when = s.write_when[c];
    const bool on_its_way = (flags & kPending) != 0;
    if (when <= b.start && !on_its_way) continue;
    const Earlier e{who, when, flags};
    // The lanes of a warp come to a product together: what one of them knows, it comes behind.
    const bool ordered = [&] {
      for (int lane = 0; lane < kLanes; ++lane)
        if (context_.order.before(b, w.index, lane, e, !context_.clustered())) return true;
      return false;
    }();
    if (!ordered) {
      AccessPattern one;
      one.mask = 1;
      const u64 offset = c << s.shift();
      const ObservedAccess seen{
          in, Access::read, ptx::Space::shared, offset, one, 1u << s.shift(), nullptr, *w.block, {}};
      found(*locate(w, seen, context_.code().index_of(in)), offset, 0, e, true);
      return false;
    }
    const u32 store = flags & kInstructionMask;
    if (context_.analysis.semantics(store).async_copy || who - b.first_thread >= b.threads) continue;
    if (fenced_for(b, who, when, w.index, kAllLanes)) continue;
    found_unfenced_proxy(w, in, 0, c, who, store);
    return false;
  }
  return true;
}

void RaceDetector::check_product_reads(const WarpAccess& a) {
  for_each_lane(a.seen.pattern.mask, [&](int lane) {
    a.owner.products.each_reader(a.offset_of(lane), a.seen.bytes, [&](const ProductRead& read) {
      bool some_waited = false;
      for (u32 i = 0; i < kWarpsOfGroup; ++i) {
        if (read.waited[i] == 0) continue;
        some_waited = true;
        const u32 warp = read.warpgroup * kWarpsOfGroup + i;
        if (&a.owner == &a.block && warp == a.w.index) return true;
        for (u32 other = 0; other < u32(kLanes); ++other) {
          const Earlier wait{a.owner.first_thread + warp * kLanes + other, read.waited[i], 0};
          if (context_.order.before(a.block, a.w.index, lane, wait, a.of_one_block)) return true;
        }
      }
      found_overwritten_factor(a, lane, read, some_waited);
      return false;
    });
  });
}

void RaceDetector::found_overwritten_factor(const WarpAccess& a, int lane, const ProductRead& read,
                                            bool waited) {
  const FindingKey key{FindingKey::Kind::pending_copy, a.at, read.at, u8(waited ? 1 : 0)};
  if (context_.collector.again(key)) return;
  Finding& f = context_.collector.add(key, a.w, a.seen.in, lane);
  describe_operand(f, context_, a, a.offset_of(lane));
  OtherParty other = writer(a.owner.first_thread + read.warpgroup * kWarpsOfGroup * kLanes, read.at);
  other.access = AccessKind::read;
  exec::locate(other, read.line);
  render_overwritten_factor(f, other, waited);
}

}  // namespace sim::sanitizer
