// Descriptors of wgmma whose swizzle, offsets or start do not fit how the copy of a box wrote the matrix.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "simulator/memory/tensor_map.h"
#include "simulator/sanitizer/descriptors/box_layout.h"
#include "simulator/sanitizer/launch_context.h"

namespace sim::sanitizer {

/// Remembers which box lies where in a block's shared memory, and holds the factors of products against it.
/// Whether a box is still there is asked of the shadow of shared memory, so that no store pays for it. What
/// was stored, or copied without a tensor map, has no rows and columns that are known: nothing is said of it.
class DescriptorDetector {
 public:
  explicit DescriptorDetector(LaunchContext& context) : context_(context) {}

  void block_starts(const Block& block);
  /// What the next bulk copies of this instruction bring.
  void moves_box(const Instr& in, const memory::TensorMap& map,
                 const std::array<s32, memory::TensorMap::kMostAxes>& origin);
  /// Bytes come to shared memory: a box, where moves_box() has told so.
  void bulk_copies(const Warp& w, const Instr& in, int lane, const exec::SharedPlace& to, u32 bytes);
  /// A warpgroup multiplies.
  void check(Warp& w, const Instr& in, std::span<const exec::ProductFactor> factors);

 private:
  struct NextBox {
    const Instr* in = nullptr;
    BoxLayout layout;
  };
  /// The copy of a box.
  struct Copy {
    u32 at = 0;  ///< instruction
    OtherParty party;
    bool present = true;  ///< in this block, and not only in the one before it
    bool begun = false;   ///< a product has read such a box from the first of eight rows on
  };
  /// A product whose factors lay in boxes as they should. A ring is read by the same few over and over.
  struct Verified {
    u32 at = 0;  ///< instruction
    std::array<u64, 2> descriptors{};
    bool operator==(const Verified&) const = default;
  };
  struct Boxes {
    explicit Boxes(const Block&) {}
    std::vector<BoxLayout> layouts;
    std::vector<Copy> copies;        ///< of the layouts
    std::vector<Verified> verified;  ///< for these layouts
  };
  struct Factor {
    const exec::ProductFactor& of;
    std::vector<Piece> pieces;
  };

  /// Fills in the boxes that pieces lie in, of those that nobody has overwritten.
  void find(const Block& block, const Boxes& boxes, std::span<Piece> pieces);
  /// Pieces that begin within eight rows of a box and go on in another one.
  static std::optional<Mismatch> past_end(const Factor& factor, Boxes& boxes);
  /// @return whether a factor has been found wanting, and told
  bool check_factor(Warp& w, const Instr& in, const Factor& factor, Boxes& boxes);
  void check_order(Warp& w, const Instr& in, std::span<const Factor> factors, const Boxes& boxes);
  void report(Warp& w, const Instr& in, const Factor& factor, const Mismatch& mismatch, const Boxes& boxes);

  LaunchContext& context_;
  PerBlock<Boxes> boxes_;
  NextBox next_;
};

}  // namespace sim::sanitizer
