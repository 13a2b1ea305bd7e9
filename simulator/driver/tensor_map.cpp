// Driver API: tensor maps. The codes of maps that cannot be are those of an H200.
#include "simulator/memory/tensor_map.h"

#include <algorithm>
#include <cstring>

#include "simulator/driver/driver.h"

using sim::memory::TensorElement;
using sim::memory::TensorMap;

namespace {

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 32, kMostStride = std::uint64_t{1} << 40;
constexpr unsigned kMostAxes = 5, kMostPixels = 1024, kMostBox = 256, kMostStep = 8, kGranule = 16,
                   kMostBytes = 227 * 1024;

struct Type {
  std::uint8_t bytes;
  TensorElement element;
  bool floating;
};

/// By CUtensorMapDataType. Those with "ftz" in their name are copied as those without, subnormals and all, on
/// an H200.
constexpr Type kTypes[] = {{1, TensorElement::bits, false}, {2, TensorElement::bits, false},
                           {4, TensorElement::bits, false}, {4, TensorElement::signed_bits, false},
                           {8, TensorElement::bits, false}, {8, TensorElement::signed_bits, false},
                           {2, TensorElement::f16, true},   {4, TensorElement::f32, true},
                           {8, TensorElement::f64, true},   {2, TensorElement::bf16, true},
                           {4, TensorElement::f32, true},   {4, TensorElement::tf32, true},
                           {4, TensorElement::tf32, true}};

bool within(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value >= least && value <= most;
}

/// What both kinds of maps have. Its box is not known yet.
struct Tensor {
  CUtensorMapDataType type;
  cuuint32_t rank;
  void* address;
  const cuuint64_t* extents;
  const cuuint64_t* strides;
  const cuuint32_t* steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

/// A program may pass any number for an enumerator: it is looked at here, which sanitizers take for a
/// mistake.
/// @return false where there is no such tensor
[[gnu::no_sanitize("enum")]] bool describe(const Tensor& t, TensorMap& map) {
  const bool enums = within(t.type, 0, std::size(kTypes) - 1) && within(t.promotion, 0, 3) &&
                     within(t.fill, 0, 1) && within(t.interleave, 0, 2) && within(t.swizzle, 0, 3);
  if (!t.extents || !t.steps || !within(t.rank, 1, kMostAxes) || !enums || (t.rank > 1 && !t.strides))
    return false;
  map.magic = TensorMap::kMagic;
  map.rank = static_cast<std::uint8_t>(t.rank);
  map.element_bytes = kTypes[t.type].bytes;
  map.element = kTypes[t.type].element;
  map.swizzle = static_cast<std::uint8_t>(t.swizzle);
  map.slice =
      static_cast<std::uint8_t>(t.interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? 0 : 8u << t.interleave);
  map.nan_fill = t.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  map.address = reinterpret_cast<std::uintptr_t>(t.address);
  const unsigned granule = std::max<unsigned>(map.slice, kGranule);
  bool possible = (map.slice == 0 || t.rank >= 3) && map.address % granule == 0 &&
                  (kTypes[t.type].floating || map.nan_fill == 0);
  for (unsigned i = 0; i < t.rank; ++i) {
    possible &= t.extents[i] - 1 < kMostExtent && within(t.steps[i], 1, kMostStep);
    map.extent[i] = t.extents[i];
    map.step[i] = static_cast<std::uint8_t>(t.steps[i]);
    if (i + 1 == t.rank) continue;
    possible &= t.strides[i] % granule == 0 && t.strides[i] < kMostStride;
    map.stride[i] = t.strides[i];
  }
  return possible;
}

/// Writes a map whose box can be.
CUresult finish(const TensorMap& map, CUtensorMap* to) {
  const unsigned row = map.box[0] * map.element_bytes;  // of slices, too
  const bool fits =
      map.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || map.slice != 0 || row <= kGranule << map.swizzle;
  if (row % kGranule != 0 || !fits || (map.slice == 0 && map.box_bytes() > kMostBytes))
    return CUDA_ERROR_INVALID_VALUE;
  *to = {};
  std::memcpy(to, &map, sizeof map);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  TensorMap map;
  if (!to || !box ||
      !describe({type, rank, address, extents, strides, steps, interleave, swizzle, promotion, fill}, map))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < rank; ++i) {
    if (!within(box[i], 1, kMostBox)) return CUDA_ERROR_INVALID_VALUE;
    map.box[i] = static_cast<std::uint16_t>(box[i]);
  }
  return finish(map, to);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                 const cuuint64_t* extents, const cuuint64_t* strides, const int* lower,
                                 const int* upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill) {
  TensorMap map;
  if (!to || !lower || !upper || !within(rank, 3, kMostAxes) || !within(channels, 1, kMostBox) ||
      !within(pixels, 1, kMostPixels) ||
      !describe({type, rank, address, extents, strides, steps, interleave, swizzle, promotion, fill}, map))
    return CUDA_ERROR_INVALID_VALUE;
  map.im2col = 1;
  map.box[0] = static_cast<std::uint16_t>(channels);
  map.box[1] = static_cast<std::uint16_t>(pixels);
  const int reach = 1 << (16 / (rank - 2) - 1);  // the corners share 16 bits
  for (unsigned i = 0; i + 2 < rank; ++i) {
    if (!within(lower[i], -reach, reach - 1) || !within(upper[i], -reach, reach - 1))
      return CUDA_ERROR_INVALID_VALUE;
    map.lower[i] = static_cast<std::int16_t>(lower[i]);
    map.upper[i] = static_cast<std::int16_t>(upper[i]);
    if (map.last_pixel(map.first_pixel_axis() + i) < lower[i]) return CUDA_ERROR_INVALID_VALUE;
  }
  return finish(map, to);
}

}  // extern "C"
