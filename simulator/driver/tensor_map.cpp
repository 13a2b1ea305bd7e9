// Driver API: tensor maps. The codes of maps that cannot be are those of an H200.
#include "simulator/memory/tensor_map.h"

#include <cuda.h>

#include <cstring>
#include <iterator>
#include <utility>

using sim::memory::TensorElement;
using sim::memory::TensorMap;

namespace {

struct Type {
  std::uint8_t bytes;
  TensorElement element;
};

/// By CUtensorMapDataType. Those with "ftz" in their name are copied as those without, subnormals and all, on
/// an H200.
constexpr Type kTypes[] = {
    {1, TensorElement::bits},        {2, TensorElement::bits}, {4, TensorElement::bits},
    {4, TensorElement::signed_bits}, {8, TensorElement::bits}, {8, TensorElement::signed_bits},
    {2, TensorElement::f16},         {4, TensorElement::f32},  {8, TensorElement::f64},
    {2, TensorElement::bf16},        {4, TensorElement::f32},  {4, TensorElement::tf32},
    {4, TensorElement::tf32}};

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

/// A number as a field of a map has it: 0, which no field may be, where the field is too narrow for it.
template <class Field>
Field narrow(cuuint32_t value) {
  return std::in_range<Field>(value) ? static_cast<Field>(value) : Field{0};
}

/// A program may pass any number for an enumerator: it is looked at here, which sanitizers take for a
/// mistake.
/// @return false where a map has no room for such a tensor
[[gnu::no_sanitize("enum")]] bool describe(const Tensor& t, TensorMap& map) {
  const bool enums = within(t.type, 0, std::size(kTypes) - 1) && within(t.promotion, 0, 3) &&
                     within(t.fill, 0, 1) && within(t.interleave, 0, 2) && within(t.swizzle, 0, 3);
  if (!t.extents || !t.steps || !within(t.rank, 1, TensorMap::kMostAxes) || !enums ||
      (t.rank > 1 && !t.strides))
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
  for (unsigned i = 0; i < t.rank; ++i) {
    map.extent[i] = t.extents[i];
    map.step[i] = narrow<std::uint8_t>(t.steps[i]);
    if (i + 1 < t.rank) map.stride[i] = t.strides[i];
  }
  return true;
}

/// Writes a map that can be.
CUresult finish(const TensorMap& map, CUtensorMap* to) {
  if (!map.possible()) return CUDA_ERROR_INVALID_VALUE;
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
  for (unsigned i = 0; i < rank; ++i) map.box[i] = narrow<std::uint16_t>(box[i]);
  return finish(map, to);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                 const cuuint64_t* extents, const cuuint64_t* strides, const int* lower,
                                 const int* upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill) {
  TensorMap map;
  if (!to || !lower || !upper || rank < 3 ||
      !describe({type, rank, address, extents, strides, steps, interleave, swizzle, promotion, fill}, map))
    return CUDA_ERROR_INVALID_VALUE;
  map.im2col = 1;
  map.box[0] = narrow<std::uint16_t>(channels);
  map.box[1] = narrow<std::uint16_t>(pixels);
  for (unsigned i = 0; i + 2 < rank; ++i) {
    if (!std::in_range<std::int16_t>(lower[i]) || !std::in_range<std::int16_t>(upper[i]))
      return CUDA_ERROR_INVALID_VALUE;
    map.lower[i] = static_cast<std::int16_t>(lower[i]);
    map.upper[i] = static_cast<std::int16_t>(upper[i]);
  }
  return finish(map, to);
}

}  // extern "C"
