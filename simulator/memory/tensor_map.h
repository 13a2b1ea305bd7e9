// Tensor maps: what cuTensorMapEncodeTiled and -Im2col write and copies by cp.async.bulk.tensor read. Ours
// fills the 128 bytes that CUDA's has.
#pragma once

#include <cstdint>
#include <optional>

namespace sim::memory {

/// How a type's elements are copied, and what stands for those outside the tensor.
enum class TensorElement : std::uint8_t { bits, signed_bits, f16, f32, f64, bf16, tf32 };

struct TensorMap {
  static constexpr std::uint32_t kMagic = 0x70616D74;  ///< "tmap"
  static constexpr unsigned kMostAxes = 5;
  std::uint32_t magic = 0;
  std::uint8_t rank = 0;
  std::uint8_t element_bytes = 0;
  TensorElement element = TensorElement::bits;
  std::uint8_t swizzle =
      0;  ///< 0: none; else spans of 16 << swizzle bytes, whose 16-byte pieces change places
  std::uint8_t nan_fill = 0;  ///< elements outside are NaN, else zero
  std::uint8_t step[kMostAxes] =
      {};  ///< in elements, of the axes from the second on; interleaved: of the first, too
  std::uint16_t box[kMostAxes] = {};  ///< elements, before steps are taken; im2col: channels, and pixels
  std::uint8_t slice = 0;  ///< interleaved: bytes of a slice of channels, which the first axis counts, and
                           ///< which the last but one numbers
  std::uint8_t im2col = 0;
  /// im2col: corners of the bounding box, by axis of pixels; upper ones from the last.
  std::int16_t lower[3] = {}, upper[3] = {};
  std::uint64_t address = 0;  ///< of the first element, on the device
  std::uint64_t extent[kMostAxes] = {};
  std::uint64_t stride[kMostAxes - 1] = {};  ///< bytes, of the axes from the second on

  /// Bytes of what the first axis counts.
  std::uint32_t unit_bytes() const { return slice != 0 ? slice : element_bytes; }
  /// Elements of a box along an axis. Of channels a box has one slice: see has_known_slices().
  std::uint32_t length(unsigned axis) const {
    if (im2col != 0) return axis == 0 && slice != 0 ? 1 : box[axis];
    if (slice != 0 && axis + 2 == rank) return 1;
    return axis == 0 && slice == 0 ? box[axis] : (box[axis] + step[axis] - 1u) / step[axis];
  }
  std::uint32_t row_bytes() const { return length(0) * unit_bytes(); }
  std::uint32_t rows() const {
    if (im2col != 0) return box[1];
    std::uint32_t rows = 1;
    for (unsigned i = 1; i < rank; ++i) rows *= length(i);
    return rows;
  }
  std::uint32_t box_bytes() const { return rows() * row_bytes(); }

  /// Interleaved: whether a box has the channels of one slice. Of two and more nothing is recorded.
  bool has_known_slices() const {
    return slice == 0 || box[im2col != 0 ? 0 : rank - 2] * element_bytes < 2 * slice;
  }

  /// im2col: the axes of pixels, rank - 2 of them; the last axis counts images.
  unsigned first_pixel_axis() const { return slice != 0 ? 0 : 1; }
  unsigned end_of_pixel_axes() const { return first_pixel_axis() + rank - 2; }
  /// im2col: the last pixel of the bounding box along an axis.
  std::int64_t last_pixel(unsigned axis) const {
    return static_cast<std::int64_t>(extent[axis]) - 1 + upper[axis - first_pixel_axis()];
  }

  /// Bytes of shared memory from one row of a box to the next: rows that are narrower than the span of the
  /// swizzle have a span each, other than those of slices.
  std::uint32_t pitch() const {
    const std::uint32_t span = swizzle == 0 || slice != 0 ? 0 : 16u << swizzle;
    return row_bytes() < span ? span : row_bytes();
  }
  /// From the first byte of a box in shared memory to behind its last.
  std::uint32_t shared_bytes() const { return rows() * pitch(); }

  /// Whether cuTensorMapEncode…() writes such a map; an H200 refuses all others. A map is bytes of the
  /// program's by the time that a copy reads it, so each copy asks.
  bool possible() const;
};
static_assert(sizeof(TensorMap) <= 128);

/// Where a byte of a box goes in shared memory: the 16-byte pieces of a span change places with the line.
inline std::uint64_t swizzled(std::uint64_t offset, unsigned swizzle) {
  const std::uint64_t lines = (std::uint64_t{1} << swizzle) - 1;
  return offset ^ ((offset >> 7 & lines) << 4);
}

}  // namespace sim::memory
