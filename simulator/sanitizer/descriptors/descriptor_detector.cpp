#include "simulator/sanitizer/descriptors/descriptor_detector.h"

#include <utility>

#include "simulator/engine/fault.h"
#include "simulator/engine/shared_name.h"
#include "simulator/instructions/matrix/descriptor.h"
#include "simulator/sanitizer/descriptors/descriptor_findings.h"

namespace sim::sanitizer {

namespace {

constexpr s32 kRowsOfCore = 8;  ///< rows of a core matrix

/// Whether a descriptor says that all groups of rows are the first one.
bool repeats_rows(const exec::ProductFactor& factor) {
  const exec::SharedMatrix m(factor.descriptor);
  return (factor.across && m.swizzle != 0 ? m.leading : m.stride) == 0;
}

/// Where in its tensor a place of a box lies.
BoxPlace in_tensor(const BoxLayout& box, BoxPlace place) {
  place[0] += box.origin[0] * s32(box.map.unit_bytes());
  for (unsigned i = 1; i < box.map.rank; ++i) place[i] = place[i] * box.map.step[i] + box.origin[i];
  return place;
}

}  // namespace

void DescriptorDetector::moves_box(const Instr& in, const memory::TensorMap& map,
                                   const std::array<s32, memory::TensorMap::kMostAxes>& origin) {
  next_ = {&in, {0, map, origin}};
}

void DescriptorDetector::bulk_copies(const Warp& w, const Instr& in, int lane, const exec::SharedPlace& to,
                                     u32 bytes) {
  Boxes& boxes = boxes_.of(*to.owner);
  const u32 from = u32(to.offset);
  for (std::size_t i = boxes.layouts.size(); i-- > 0;) {
    const BoxLayout& old = boxes.layouts[i];
    if (old.offset >= from + bytes || from >= old.offset + old.map.shared_bytes()) continue;
    boxes.layouts.erase(boxes.layouts.begin() + std::ptrdiff_t(i));
    boxes.copies.erase(boxes.copies.begin() + std::ptrdiff_t(i));
  }
  if (next_.in != &in || next_.layout.map.slice != 0) return;
  BoxLayout layout = next_.layout;
  layout.offset = from;
  const u32 at = context_.code().index_of(in);
  Copy copy{at, {}};
  copy.party.access = AccessKind::write;
  copy.party.block = w.block->id;
  copy.party.thread = w.block->thread_of(w, lane);
  exec::locate(copy.party, context_.analysis.wrappers().line_of(w.frame, at));
  boxes.layouts.push_back(layout);
  boxes.copies.push_back(std::move(copy));
}

void DescriptorDetector::find(const Block& block, const Boxes& boxes, std::span<Piece> pieces) {
  find_boxes(pieces, boxes.layouts);
  const Shadow& shadow = context_.blocks.of(block).shared;
  for (Piece& p : pieces)
    if (p.box >= 0 && (shadow.write_at[p.address >> shadow.shift()] & kInstructionMask) !=
                          boxes.copies[std::size_t(p.box)].at)
      p.box = -1;
}

std::optional<Mismatch> DescriptorDetector::past_end(const Factor& factor, Boxes& boxes) {
  const Piece& first = factor.pieces.front();
  if (first.box < 0) return {};
  const BoxLayout& box = boxes.layouts[std::size_t(first.box)];
  if (box.line_of(first.place) % kRowsOfCore == 0) {
    boxes.copies[std::size_t(first.box)].begun = true;
    return {};
  }
  // A window that slides over rows begins anywhere: it goes on in the tensor, or stays in its box. And it is
  // no window where the same box has not been read from its beginning.
  if (!boxes.copies[std::size_t(first.box)].begun || box.opaque()) return {};
  for (const Piece& p : factor.pieces) {
    if (p.box < 0 || p.box == first.box) continue;
    const BoxLayout& other = boxes.layouts[std::size_t(p.box)];
    const BoxPlace meant = place_meant(p, first, box);
    if (other.map.address == box.map.address && in_tensor(other, p.place) == in_tensor(box, meant)) continue;
    return Mismatch{Mismatch::Kind::past_end, p, first, meant};
  }
  return {};
}

void DescriptorDetector::check(Warp& w, const Instr& in, std::span<const exec::ProductFactor> factors) {
  Boxes& boxes = boxes_.of(*w.block);
  if (boxes.layouts.empty()) return;
  std::vector<Factor> read;
  for (const exec::ProductFactor& f : factors) {
    Factor& factor = read.emplace_back(Factor{f, pieces_of(f)});
    find(*w.block, boxes, factor.pieces);
    auto found = mismatch_in(factor.pieces, boxes.layouts, repeats_rows(f));
    if (!found) found = past_end(factor, boxes);
    if (found) return report(w, in, factor, *found, boxes);
  }
  if (read.size() < 2) return;
  const std::vector<s64> one = order_along_k(read[0].pieces, boxes.layouts, read[0].of),
                         other = order_along_k(read[1].pieces, boxes.layouts, read[1].of);
  if (one.empty() || other.empty() || one == other) return;
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (one[k] == other[k]) continue;
    const bool first = one[k] != s64(k);  // the other one is as the tensor is
    const Factor& factor = read[first ? 0 : 1];
    for (const Piece& p : factor.pieces) {
      if (p.k + (factor.of.across ? 1 : 16 / factor.of.step_bytes) <= k) continue;
      const Piece& from = factor.pieces.front();
      const BoxLayout& box = boxes.layouts[std::size_t(p.box)];
      return report(w, in, factor, {Mismatch::Kind::order, p, from, place_meant(p, from, box)}, boxes);
    }
  }
}

void DescriptorDetector::report(Warp& w, const Instr& in, const Factor& factor, const Mismatch& mismatch,
                                const Boxes& boxes) {
  // Past its end: the box that the rows began in.
  const Piece& inside = mismatch.kind == Mismatch::Kind::past_end ? mismatch.other : mismatch.piece;
  const std::size_t box = std::size_t(inside.box);
  const FindingKey key{FindingKey::Kind::descriptor, context_.code().index_of(in), boxes.copies[box].at,
                       u8(factor.of.right)};
  if (context_.collector.again(key)) return;
  Finding& f = context_.collector.add(key, w, in, 0);
  f.space = MemorySpace::shared;
  f.access = AccessKind::read;
  f.symbol = exec::variable_at(context_.code(), boxes.layouts[box].offset);
  f.other = boxes.copies[box].party;
  render_mismatch(f, factor.of, mismatch, boxes.layouts);
}

}  // namespace sim::sanitizer
