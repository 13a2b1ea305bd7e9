#include "simulator/sanitizer/descriptors/box_layout.h"

#include <algorithm>

#include "simulator/instructions/matrix/descriptor.h"

namespace sim::sanitizer {

namespace {

constexpr u32 kPiece = 16, kGroup = 8;  ///< bytes; rows of a core matrix

BoxPlace plus(BoxPlace a, const BoxPlace& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

BoxPlace minus(BoxPlace a, const BoxPlace& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

/// Places of a factor's rows and of its steps in one box, each from the first piece there.
class Sums {
 public:
  explicit Sums(const Piece& first) : first_(first.place) {
    at(rows_, first.row) = at(steps_, first.k) = BoxPlace{};
  }

  /// @return whether the piece is where its row and its k say; the first of a row says where the row is
  bool add(const Piece& p) {
    const BoxPlace from_first = minus(p.place, first_);
    std::optional<BoxPlace>&row = at(rows_, p.row), &step = at(steps_, p.k);
    if (row && step) return plus(*row, *step) == from_first;
    if (step) row = minus(from_first, *step);
    if (row && !step) step = minus(from_first, *row);
    return true;
  }
  /// Whether rows and steps share an axis.
  bool mixed() const {
    for (std::size_t axis = 0; axis < first_.size(); ++axis)
      if (differs(rows_, axis) && differs(steps_, axis)) return true;
    return false;
  }

 private:
  using Places = std::vector<std::optional<BoxPlace>>;

  static std::optional<BoxPlace>& at(Places& places, u32 i) {
    if (places.size() <= i) places.resize(i + 1);
    return places[i];
  }
  static bool differs(const Places& places, std::size_t axis) {
    return std::any_of(places.begin(), places.end(), [&](const auto& p) { return p && (*p)[axis] != 0; });
  }
  Places rows_, steps_;
  BoxPlace first_;
};

/// The first piece of a box in the order of reading that is not where the box has the factor's next element,
/// or the last one; and where that is.
Mismatch first_astray(std::span<const Piece> of_box, const BoxLayout& box) {
  const Piece& first = of_box.front();
  const auto astray = std::find_if(of_box.begin(), of_box.end(),
                                   [&](const Piece& p) { return p.place != place_meant(p, first, box); });
  const Piece& piece = astray == of_box.end() ? of_box.back() : *astray;
  return {Mismatch::Kind::scattered, piece, first, place_meant(piece, first, box)};
}

std::optional<Mismatch> mismatch_in_box(std::span<const Piece> of_box, const BoxLayout& box,
                                        bool repeats_rows) {
  Sums sums(of_box.front());
  for (const Piece& p : of_box)
    if (!sums.add(p)) return first_astray(of_box, box);
  std::vector<const Piece*> read(box.map.shared_bytes() / kPiece);
  for (const Piece& p : of_box) {
    const Piece*& before = read[(p.address - box.offset) / kPiece];
    if (before == nullptr) {
      before = &p;
      continue;
    }
    if (repeats_rows && before->k == p.k) continue;
    Mismatch m = first_astray(of_box, box);
    if (m.piece.row != p.row || m.piece.k != p.k) return m;
    return Mismatch{Mismatch::Kind::repeated, p, *before, m.meant};
  }
  if (sums.mixed()) return first_astray(of_box, box);
  return {};
}

/// The pieces of each box, in their order.
std::vector<std::vector<Piece>> by_box(std::span<const Piece> pieces, std::size_t boxes) {
  std::vector<std::vector<Piece>> all(boxes);
  for (const Piece& p : pieces)
    if (p.box >= 0) all[std::size_t(p.box)].push_back(p);
  std::erase_if(all, [](const std::vector<Piece>& some) { return some.empty(); });
  return all;
}

}  // namespace

std::optional<BoxPlace> BoxLayout::place_at(u32 address) const {
  const BoxPlace place = place_before_swizzle(u32(memory::swizzled(address, map.swizzle)) - offset);
  return place[0] < s32(map.row_bytes()) ? std::optional(place) : std::nullopt;
}

BoxPlace BoxLayout::place_before_swizzle(u32 bytes) const {
  BoxPlace place{};
  place[0] = s32(bytes % map.pitch());
  u32 line = bytes / map.pitch();
  if (map.im2col != 0) {  // its lines are pixels, whatever their axis
    place[1] = s32(line);
    return place;
  }
  for (unsigned i = 1; i < map.rank; ++i) {
    place[i] = s32(line % map.length(i));
    line /= map.length(i);
  }
  return place;
}

BoxPlace place_meant(const Piece& p, const Piece& first, const BoxLayout& box) {
  return box.moved(box.place_before_swizzle(first.plain - box.offset), p.along - first.along,
                   p.lines - first.lines);
}

bool BoxLayout::opaque() const {
  if (map.swizzle != 0 || map.im2col != 0) return false;
  u64 bytes = map.row_bytes();
  for (unsigned i = 1; i < map.rank; ++i) {
    if (map.length(i) == 1) continue;
    if (map.stride[i - 1] * map.step[i] != bytes) return false;
    bytes *= map.length(i);
  }
  return true;
}

s32 BoxLayout::line_of(const BoxPlace& place) const {
  if (axis_along() != 0 || map.im2col != 0) return place[1];
  s32 line = 0;
  for (unsigned i = map.rank; i-- > 1;) line = line * s32(map.length(i)) + place[i];
  return line;
}

BoxPlace BoxLayout::moved(BoxPlace from, s32 along, s32 lines) const {
  const unsigned axis = axis_along();
  from[axis] += axis == 0 ? along * s32(kPiece) : along;
  if (axis != 0 || map.rank < 3 || map.im2col != 0) {
    from[1] += lines;
    return from;
  }
  s32 rest = line_of(from) + lines;
  for (unsigned i = 1; i < map.rank; ++i) {
    const s32 length = i + 1u < map.rank ? s32(map.length(i)) : rest + 1;
    from[i] = rest % length;
    rest /= length;
  }
  // Behind the last piece of a row, a box of several columns of rows goes on in the next of them.
  const s32 row = s32(map.row_bytes());
  for (; map.length(2) > 1 && from[0] >= row; from[0] -= row) ++from[2];
  return from;
}

std::vector<Piece> pieces_of(const exec::ProductFactor& factor) {
  const exec::SharedMatrix matrix(factor.descriptor);
  std::vector<Piece> all;
  if (factor.across) {
    for (u32 k = 0; k < factor.steps; ++k)
      for (u32 group = 0; group < factor.rows / kGroup; ++group)
        all.push_back({.row = group * kGroup,
                       .k = k,
                       .along = s32(group),
                       .lines = s32(k),
                       .address = matrix.of_column(k, group),
                       .plain = matrix.column_before_swizzle(k, group)});
    return all;
  }
  const u32 elements = kPiece / factor.step_bytes;
  for (u32 row = 0; row < factor.rows; ++row)
    for (u32 piece = 0; piece < factor.steps / elements; ++piece)
      all.push_back({.row = row,
                     .k = piece * elements,
                     .along = s32(piece),
                     .lines = s32(row),
                     .address = matrix.of_row(row, piece),
                     .plain = matrix.row_before_swizzle(row, piece)});
  return all;
}

void find_boxes(std::span<Piece> pieces, std::span<const BoxLayout> boxes) {
  std::size_t last = 0;  // most pieces lie in the box of the one before
  for (Piece& p : pieces) {
    p.box = -1;
    for (std::size_t i = 0; i < boxes.size() && p.box < 0; ++i) {
      const std::size_t b = (last + i) % boxes.size();
      if (!boxes[b].holds(p.address)) continue;
      if (const auto place = boxes[b].place_at(p.address)) p.box = int(last = b), p.place = *place;
      break;
    }
  }
}

std::optional<Mismatch> mismatch_in(std::span<const Piece> pieces, std::span<const BoxLayout> boxes,
                                    bool repeats_rows) {
  for (const std::vector<Piece>& of_box : by_box(pieces, boxes.size())) {
    const BoxLayout& box = boxes[std::size_t(of_box.front().box)];
    if (box.opaque()) continue;
    if (const auto found = mismatch_in_box(of_box, box, repeats_rows)) return found;
  }
  return {};
}

bool fits(std::span<const Piece> pieces, std::span<const BoxLayout> boxes) {
  if (std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.box < 0; })) return false;
  for (const std::vector<Piece>& of_box : by_box(pieces, boxes.size())) {
    const BoxLayout& box = boxes[std::size_t(of_box.front().box)];
    for (const Piece& p : of_box)
      if (p.place != place_meant(p, of_box.front(), box)) return false;
  }
  return true;
}

std::vector<s64> order_along_k(std::span<const Piece> pieces, std::span<const BoxLayout> boxes,
                               const exec::ProductFactor& factor) {
  if (pieces.empty() || pieces.front().box < 0) return {};
  const Piece& first = pieces.front();
  const BoxLayout& box = boxes[std::size_t(first.box)];
  if (box.opaque() || box.map.im2col != 0) return {};
  const u32 elements = factor.across ? 1 : kPiece / factor.step_bytes;
  const BoxPlace begin = box.place_before_swizzle(first.plain - box.offset);
  std::vector<s64> order(factor.steps, -1);
  for (const Piece& p : pieces) {
    if (p.row != first.row) continue;
    if (p.box != first.box) return {};
    // Along an axis whose elements are 16 bytes apart a row goes on; each line is a step.
    s64 bytes = p.place[0] - begin[0];
    if (box.axis_along() != 0) bytes += (p.place[2] - begin[2]) * s64(box.map.stride[1]) * box.map.step[2];
    const s64 lines = box.line_of(p.place) - box.line_of(begin);
    if (bytes != 0 && lines != 0) return {};
    for (u32 e = 0; e < elements && p.k + e < factor.steps; ++e)
      order[p.k + e] = lines + bytes / factor.step_bytes + e;
  }
  return std::count(order.begin(), order.end(), -1) == 0 ? order : std::vector<s64>{};
}

}  // namespace sim::sanitizer
