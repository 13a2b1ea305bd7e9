// Tensor maps: what cuTensorMapEncodeTiled writes and copies by cp.async.bulk.tensor read. Ours fills the 128
// bytes that CUDA's has.
#pragma once

#include <cstdint>
#include <optional>

namespace sim::memory {

/// How a type's elements are copied, and what stands for those outside the tensor.
enum class TensorElement : std::uint8_t { bits, signed_bits, f16, f32, f64, bf16, f32_ftz };

struct TensorMap {
  static constexpr std::uint32_t kMagic = 0x70616D74;  ///< "tmap"
  std::uint32_t magic = 0;
  std::uint8_t rank = 0;
  std::uint8_t element_bytes = 0;
  TensorElement element = TensorElement::bits;
  std::uint8_t swizzle =
      0;  ///< 0: none; else spans of 16 << swizzle bytes, whose 16-byte pieces change places
  std::uint8_t nan_fill = 0;  ///< elements outside are NaN, else zero
  std::uint8_t step[5] = {};  ///< in elements, of the axes from the second on
  std::uint16_t box[5] = {};  ///< elements, before steps are taken
  std::uint64_t address = 0;  ///< of the first element, on the device
  std::uint64_t extent[5] = {};
  std::uint64_t stride[4] = {};  ///< bytes, of the axes from the second on

  /// Elements of a box along an axis.
  std::uint32_t length(unsigned axis) const {
    return axis == 0 ? box[0] : (box[axis] + step[axis] - 1u) / step[axis];
  }
  std::uint32_t box_bytes() const {
    std::uint32_t bytes = element_bytes;
    for (unsigned i = 0; i < rank; ++i) bytes *= length(i);
    return bytes;
  }
};
static_assert(sizeof(TensorMap) <= 128);

/// Where a byte of a box goes in shared memory: the 16-byte pieces of a span change places with the line.
inline std::uint64_t swizzled(std::uint64_t offset, unsigned swizzle) {
  const std::uint64_t lines = (std::uint64_t{1} << swizzle) - 1;
  return offset ^ ((offset >> 7 & lines) << 4);
}

}  // namespace sim::memory
