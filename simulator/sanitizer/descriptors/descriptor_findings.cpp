#include "simulator/sanitizer/descriptors/descriptor_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "language/catalogue.h"
#include "simulator/instructions/matrix/descriptor.h"
#include "simulator/report/wording/words.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

namespace {

constexpr u32 kCoreMatrix = 128;  ///< bytes

using exec::SharedMatrix;

std::string swizzle_in_words(u32 bytes) {
  return bytes == 0 ? tr("no swizzle") : tr("a swizzle of {} bytes", bytes);
}

u32 swizzle_of(const memory::TensorMap& map) { return map.swizzle == 0 ? 0 : 16u << map.swizzle; }

/// Whether the descriptor's leading offset plays a part.
bool uses_leading(const exec::ProductFactor& f, const SharedMatrix& m) {
  return m.swizzle == 0 || (f.across && f.rows > m.swizzle / 2);
}

/// "(m 1, k 8)"
std::string element(const exec::ProductFactor& factor, const Piece& p) {
  return fmt::format("({} {}, k {})", factor.right ? "n" : "m", p.row, p.k);
}

/// "row 1, column 8", or the coordinates of a box of more axes.
std::string place_in_words(const BoxLayout& box, const BoxPlace& place) {
  const s32 column = place[0] / s32(box.map.unit_bytes());
  if (box.map.rank == 2 || box.map.im2col != 0) return tr("row {}, column {}", place[1], column);
  std::string all = fmt::format("({}", column);
  for (unsigned i = 1; i < box.map.rank; ++i) all += fmt::format(",{}", place[i]);
  return all + ")";
}

std::string descriptor_in_words(const exec::ProductFactor& factor) {
  const SharedMatrix m(factor.descriptor);
  std::string words = swizzle_in_words(m.swizzle);
  if (uses_leading(factor, m)) words += tr(", a leading offset of {} bytes", m.leading);
  words += tr(", a stride offset of {} bytes", m.stride);
  if (m.base_offset != 0) words += tr(", a base offset of {}", m.base_offset);
  return words + (factor.across ? tr(", read as MN-major") : tr(", read as K-major"));
}

/// Fields of a descriptor, as a search changes them.
struct Fields {
  u32 swizzle, base_offset, leading, stride;  ///< bytes, but for the base offset
};

/// @return the descriptor with other fields and the same start
u64 with_fields(u64 descriptor, const Fields& f) {
  const u64 mode = f.swizzle == 0 ? 0 : f.swizzle == 128 ? 1 : f.swizzle == 64 ? 2 : 3;
  return (descriptor & 0x3FFF) | u64(f.leading >> 4 & 0x3FFF) << 16 | u64(f.stride >> 4 & 0x3FFF) << 32 |
         u64(f.base_offset & 7) << 49 | mode << 62;
}

bool fits_with(const exec::ProductFactor& factor, std::span<const BoxLayout> boxes) {
  std::vector<Piece> pieces = pieces_of(factor);
  find_boxes(pieces, boxes);
  return fits(pieces, boxes);
}

std::vector<u32> distinct(std::vector<u32> numbers) {
  std::vector<u32> all;
  for (const u32 n : numbers)
    if (std::find(all.begin(), all.end(), n) == all.end()) all.push_back(n);
  return all;
}

}  // namespace

Cure cure_of_mismatch(const exec::ProductFactor& factor, std::span<const BoxLayout> boxes, std::size_t box) {
  const SharedMatrix m(factor.descriptor);
  const BoxLayout& of = boxes[box];
  const u32 column = of.map.length(1) * of.map.pitch();  // bytes of the rows that lie below each other
  Fields best{};
  unsigned fewest = ~0u;
  for (const u32 swizzle : distinct({m.swizzle, swizzle_of(of.map)}))
    for (const u32 base : distinct({m.base_offset, 0}))
      for (const u32 stride : distinct({m.stride, 8 * of.map.pitch(), kCoreMatrix, column}))
        for (const u32 leading : distinct({m.leading, column, of.map.shared_bytes(), kCoreMatrix})) {
          const unsigned changes = unsigned(swizzle != m.swizzle) + unsigned(base != m.base_offset) +
                                   unsigned(stride != m.stride) + unsigned(leading != m.leading);
          exec::ProductFactor other = factor;
          other.descriptor = with_fields(factor.descriptor, {swizzle, base, leading, stride});
          if (changes == 0 || changes >= fewest || !fits_with(other, boxes)) continue;
          fewest = changes, best = {swizzle, base, leading, stride};
        }
  if (fewest != ~0u) {
    std::vector<std::string> fields;
    if (best.swizzle != m.swizzle) fields.push_back(swizzle_in_words(best.swizzle));
    if (best.leading != m.leading) fields.push_back(tr("a leading offset of {} bytes", best.leading));
    if (best.stride != m.stride) fields.push_back(tr("a stride offset of {} bytes", best.stride));
    if (best.base_offset != m.base_offset) fields.push_back(tr("a base offset of {}", best.base_offset));
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i)
      text += (i == 0 ? "" : i + 1 < fields.size() ? ", " : tr(" and ")) + fields[i];
    return {Cure::descriptor_of_box, {text}};
  }
  std::vector<BoxLayout> others(boxes.begin(), boxes.end());
  for (BoxLayout& b : others)
    if (b.map.address == of.map.address)
      b.map.swizzle = std::uint8_t(m.swizzle / 32 > 3 ? 3 : m.swizzle / 32);
  if (m.swizzle != swizzle_of(of.map) && fits_with(factor, others))
    return {Cure::swizzle_of_map, {swizzle_in_words(m.swizzle)}};
  return Cure::layout_of_box;
}

void render_mismatch(Finding& f, const exec::ProductFactor& factor, const Mismatch& m,
                     std::span<const BoxLayout> boxes) {
  const char* const name = factor.right ? "B" : "A";
  const Piece& inside = m.kind == Mismatch::Kind::past_end ? m.other : m.piece;
  const BoxLayout& box = boxes[std::size_t(inside.box)];
  const std::string there = place_beside(f, f.other->file, f.other->line);
  const Message layouts =
      Message(" The box was written with {} and rows of {} bytes; the descriptor says {}.",
              swizzle_in_words(swizzle_of(box.map)), box.map.row_bytes(), descriptor_in_words(factor));
  const Message taken =
      Message("For {}'s element {} the wgmma at line {} takes {} of the box that the copy at {} wrote", name,
              element(factor, inside), f.line, place_in_words(box, inside.place), there);
  switch (m.kind) {
    case Mismatch::Kind::scattered:
      f.claim = Message("{}, and {} is meant.", taken, place_in_words(box, m.meant));
      break;
    case Mismatch::Kind::repeated:
      f.claim = Message("{}, as it does for {} already, and {} is meant.", taken, element(factor, m.other),
                        place_in_words(box, m.meant));
      break;
    case Mismatch::Kind::past_end:
      f.claim = Message("{}, and element {} is behind the box's end, in another box.", taken,
                        element(factor, m.piece));
      break;
    case Mismatch::Kind::order:
      f.claim = Message("{}, and for the other factor's element of this k what goes with {}.", taken,
                        place_in_words(box, m.meant));
      break;
  }
  f.message = f.claim;
  f.message += layouts;
  if (m.kind == Mismatch::Kind::past_end)
    f.cure = Cure::steps_within_box;
  else
    f.cure = cure_of_mismatch(factor, boxes, std::size_t(inside.box));
  if (f.cure.kind == Cure::layout_of_box && m.meant[0] >= s32(box.map.row_bytes()))
    f.cure = Cure::steps_within_box;
  if (m.kind == Mismatch::Kind::order && f.cure.kind == Cure::layout_of_box) f.cure = Cure::same_order_of_k;
}

}  // namespace sim::sanitizer
