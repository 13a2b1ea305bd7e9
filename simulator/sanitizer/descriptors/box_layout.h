// Which element of a box each piece of shared memory has, and whether a factor of a product takes them in an
// order that a matrix can have.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "simulator/engine/observer.h"
#include "simulator/memory/tensor_map.h"

namespace sim::sanitizer {

using namespace exec;

/// Coordinates in a box, or in a tensor: of the first axis in bytes, of the others in elements.
using BoxPlace = std::array<s32, memory::TensorMap::kMostAxes>;

/// A box that a copy by a tensor map has written to shared memory.
struct BoxLayout {
  u32 offset = 0;  ///< in shared memory
  memory::TensorMap map;
  BoxPlace origin{};  ///< of the box in the tensor

  bool holds(u32 address) const { return address - offset < map.shared_bytes(); }
  /// What lies in the 16 bytes at an address that it holds; none between rows that are further apart than
  /// they are long.
  std::optional<BoxPlace> place_at(u32 address) const;
  /// The place so many bytes behind the box's first, were it not swizzled.
  BoxPlace place_before_swizzle(u32 bytes) const;
  /// Whether the box is one piece of global memory, and not swizzled: packed matrices come that way, and then
  /// its axes say nothing about rows and columns.
  bool opaque() const;
  /// The axis whose elements lie behind each other in a row of the matrix, 16 bytes further on. Of boxes of
  /// core matrices it is the third, since the first has 16 bytes alone.
  unsigned axis_along() const { return map.row_bytes() == 16 && map.rank > 2 ? 2 : 0; }
  /// The number of the line of a place, of those that lie below each other in the box.
  s32 line_of(const BoxPlace& place) const;
  /// @p along pieces of 16 bytes and @p lines lines from a place, as the map says.
  BoxPlace moved(BoxPlace from, s32 along, s32 lines) const;
};

/// 16 bytes of a factor, which a product reads together.
struct Piece {
  u32 row = 0;       ///< its first row (of B: column of the sums)
  u32 k = 0;         ///< its first element along k
  s32 along = 0;     ///< pieces from the factor's first, in the direction that is contiguous
  s32 lines = 0;     ///< and in the other one
  u32 address = 0;   ///< in shared memory
  u32 plain = 0;     ///< the same before the descriptor's swizzle
  int box = -1;      ///< which box has it; -1: none that is known
  BoxPlace place{};  ///< there
};

/// Where a piece is meant in a box, by where the descriptor comes to the box with @p first.
BoxPlace place_meant(const Piece& p, const Piece& first, const BoxLayout& box);

/// The pieces of a factor in the order of its rows, as its descriptor says; of MN-major factors of k.
std::vector<Piece> pieces_of(const exec::ProductFactor& factor);

/// What is wrong with how a factor is read.
struct Mismatch {
  enum class Kind : u8 {
    scattered,  ///< rows and columns of the factor are none of the box
    repeated,   ///< `piece` has been read as `other` already
    past_end,   ///< the pieces begin within eight rows of the box and go on behind its end
    order,      ///< A and B take k in two orders
  };
  Kind kind = Kind::scattered;
  Piece piece;
  Piece other;
  BoxPlace meant{};  ///< where `piece` is expected in the box, by where the descriptor begins there
};

/// Holds the pieces of a factor against each other, those of one box at a time.
///
/// The order of rows is the program's: sums go by rows, and who stores them may know another order. So is the
/// order of k, where A and B have the same. What no order of rows and of k can be is told:
/// - The place of a piece in its box is that of its row and that of its k, added. Else rows are read along k
///   in different orders.
/// - An axis of the box counts rows, or it counts along k. Else what is one row of the tensor is read as
///   several, or the other way round.
/// - No piece is read twice. Only where the stride offset is 0, groups of eight rows are all meant to be the
///   first one.
/// @param boxes  which the pieces name
/// @param repeats_rows  the stride offset goes from rows to rows, and is 0
std::optional<Mismatch> mismatch_in(std::span<const Piece> pieces, std::span<const BoxLayout> boxes,
                                    bool repeats_rows);

/// Whether the pieces are where the box's rows and columns are, without a gap, and all of them in boxes.
bool fits(std::span<const Piece> pieces, std::span<const BoxLayout> boxes);

/// Fills in which box each piece lies in, of those that hold it.
void find_boxes(std::span<Piece> pieces, std::span<const BoxLayout> boxes);

/// For each element along k of a factor that one box holds: how far it is in the tensor from where the
/// descriptor begins, counted in elements. Empty where that cannot be said.
std::vector<s64> order_along_k(std::span<const Piece> pieces, std::span<const BoxLayout> boxes,
                               const exec::ProductFactor& factor);

}  // namespace sim::sanitizer
