#include "simulator/sanitizer/descriptors/descriptor_detector.h"

#include <algorithm>
#include <utility>

#include "simulator/engine/fault.h"
#include "simulator/engine/shared_name.h"
#include "simulator/instructions/matrix/descriptor.h"
#include "simulator/sanitizer/descriptors/descriptor_findings.h"

namespace sim::sanitizer {

namespace {

constexpr s32 kRowsOfCore = 8;              ///< rows of a core matrix
constexpr std::size_t kMostVerified = 512;  ///< products of a block

/// Whether a descriptor says that all groups of eight rows are the first one, as where there are but eight. A
/// leading offset of 0 that repeats the columns of a whole box has been forgotten.
bool repeats_rows(const exec::ProductFactor& factor) {
  const exec::SharedMatrix m(factor.descriptor);
  return m.stride == 0 && !(factor.across && m.swizzle != 0);
}

/// Where in its tensor a place of a box lies.
BoxPlace in_tensor(const BoxLayout& box, BoxPlace place) {
  place[0] += box.origin[0] * s32(box.map.unit_bytes());
  for (unsigned i = 1; i < box.map.rank; ++i) place[i] = place[i] * box.map.step[i] + box.origin[i];
  return place;
}

/// Whether a piece that lies in a box begins eight rows of it.
bool begins_group(std::span<const BoxLayout> boxes, const Piece& p) {
  return boxes[std::size_t(p.box)].line_of(p.place) % kRowsOfCore == 0;
}

/// Whether two maps write boxes alike, of one tensor.
bool same_boxes(const memory::TensorMap& a, const memory::TensorMap& b) {
  return a.address == b.address && a.rank == b.rank && a.element_bytes == b.element_bytes &&
         a.swizzle == b.swizzle && a.im2col == b.im2col && std::ranges::equal(a.box, b.box) &&
         std::ranges::equal(a.step, b.step) && std::ranges::equal(a.stride, b.stride);
}

}  // namespace

void DescriptorDetector::block_starts(const Block& block) {
  if (next_.in == nullptr) return;  // most kernels copy no boxes
  for (Copy& copy : boxes_.of(block).copies) copy.present = false;
}

void DescriptorDetector::moves_box(const Instr& in, const memory::TensorMap& map,
                                   const std::array<s32, memory::TensorMap::kMostAxes>& origin) {
  next_ = {&in, {0, map, origin}};
}

void DescriptorDetector::bulk_copies(const Warp& w, const Instr& in, int lane, const exec::SharedPlace& to,
                                     u32 bytes) {
  if (next_.in == nullptr) return;
  Boxes& boxes = boxes_.of(*to.owner);
  const bool is_box = next_.in == &in && next_.layout.map.slice == 0;
  const u32 from = u32(to.offset), at = context_.code().index_of(in);
  bool begun = false, again = false;  // as it lay before
  std::size_t overwritten = 0;
  for (std::size_t i = boxes.layouts.size(); i-- > 0;) {
    const BoxLayout& old = boxes.layouts[i];
    if (old.offset >= from + bytes || from >= old.offset + old.map.shared_bytes()) continue;
    if (is_box && old.offset == from && boxes.copies[i].at == at && same_boxes(old.map, next_.layout.map))
      again = true, begun = boxes.copies[i].begun;
    ++overwritten;
    boxes.layouts.erase(boxes.layouts.begin() + std::ptrdiff_t(i));
    boxes.copies.erase(boxes.copies.begin() + std::ptrdiff_t(i));
  }
  if (!again || overwritten > 1) boxes.verified.clear();
  if (!is_box) return;
  BoxLayout layout = next_.layout;
  layout.offset = from;
  Copy copy{at, {}};
  copy.begun = begun;
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
  for (Piece& p : pieces) {
    if (p.box < 0) continue;
    const Copy& copy = boxes.copies[std::size_t(p.box)];
    if (!copy.present || (shadow.write_at[p.address >> shadow.shift()] & kInstructionMask) != copy.at)
      p.box = -1;
  }
}

std::optional<Mismatch> DescriptorDetector::past_end(const Factor& factor, Boxes& boxes) {
  const Piece& first = factor.pieces.front();
  if (first.box < 0) return {};
  const BoxLayout& box = boxes.layouts[std::size_t(first.box)];
  if (begins_group(boxes.layouts, first)) {
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

bool DescriptorDetector::check_factor(Warp& w, const Instr& in, const Factor& factor, Boxes& boxes) {
  auto found = mismatch_in(factor.pieces, boxes.layouts, repeats_rows(factor.of));
  if (!found) found = past_end(factor, boxes);
  if (found) report(w, in, factor, *found, boxes);
  return found.has_value();
}

void DescriptorDetector::check_order(Warp& w, const Instr& in, std::span<const Factor> factors,
                                     const Boxes& boxes) {
  const std::vector<s64> one = order_along_k(factors[0].pieces, boxes.layouts, factors[0].of),
                         other = order_along_k(factors[1].pieces, boxes.layouts, factors[1].of);
  if (one.empty() || other.empty() || one == other) return;
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (one[k] == other[k]) continue;
    const Factor& factor = factors[one[k] != s64(k) ? 0 : 1];  // the other one is as the tensor is
    const u32 elements = factor.of.across ? 1 : 16 / factor.of.step_bytes;
    for (const Piece& p : factor.pieces) {
      if (p.k + elements <= k) continue;
      const Piece& from = factor.pieces.front();
      const BoxPlace meant = place_meant(p, from, boxes.layouts[std::size_t(p.box)]);
      return report(w, in, factor, {Mismatch::Kind::order, p, from, meant}, boxes);
    }
  }
}

void DescriptorDetector::check(Warp& w, const Instr& in, std::span<const exec::ProductFactor> factors) {
  if (next_.in == nullptr) return;
  Boxes& boxes = boxes_.of(*w.block);
  if (boxes.layouts.empty()) return;
  Verified product{context_.code().index_of(in), {}};
  for (std::size_t i = 0; i < factors.size(); ++i) product.descriptors[i] = factors[i].descriptor;
  // Of what has been overwritten since, nothing is known; the rest still lies as it did.
  if (std::find(boxes.verified.begin(), boxes.verified.end(), product) != boxes.verified.end()) return;
  std::vector<Factor> read;
  bool known = true;
  for (const exec::ProductFactor& f : factors) {
    Factor& factor = read.emplace_back(Factor{f, pieces_of(f)});
    find(*w.block, boxes, factor.pieces);
    if (check_factor(w, in, factor, boxes)) return;
    for (const Piece& p : factor.pieces) known = known && p.box >= 0;
    known = known && begins_group(boxes.layouts, factor.pieces.front());
  }
  if (read.size() == 2) check_order(w, in, read, boxes);
  if (known && boxes.verified.size() < kMostVerified) boxes.verified.push_back(product);
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
