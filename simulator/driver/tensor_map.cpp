// Driver API: tensor maps. The codes of maps that cannot be are those of an H200.
#include "simulator/memory/tensor_map.h"

#include <cstring>

#include "simulator/driver/driver.h"

using sim::memory::TensorElement;
using sim::memory::TensorMap;

namespace {

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 32, kMostStride = std::uint64_t{1} << 40;
constexpr unsigned kMostBox = 256, kMostStep = 8, kGranule = 16, kMostBytes = 227 * 1024;

struct Type {
  std::uint8_t bytes;
  TensorElement element;
  bool floating;
};

/// By CUtensorMapDataType. Of tf32 the bits are copied as they are.
constexpr Type kTypes[] = {{1, TensorElement::bits, false},   {2, TensorElement::bits, false},
                           {4, TensorElement::bits, false},   {4, TensorElement::signed_bits, false},
                           {8, TensorElement::bits, false},   {8, TensorElement::signed_bits, false},
                           {2, TensorElement::f16, true},     {4, TensorElement::f32, true},
                           {8, TensorElement::f64, true},     {2, TensorElement::bf16, true},
                           {4, TensorElement::f32_ftz, true}, {4, TensorElement::f32, true},
                           {4, TensorElement::f32_ftz, true}};

bool within(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return value >= least && value <= most;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  const bool enums = within(type, 0, std::size(kTypes) - 1) && within(promotion, 0, 3) &&
                     within(fill, 0, 1) && within(interleave, 0, 2) && within(swizzle, 0, 3);
  if (!to || !extents || !box || !steps || !within(rank, 1, 5) || !enums || (rank > 1 && !strides))
    return CUDA_ERROR_INVALID_VALUE;
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) {
    const auto refused = sim::cudart::api([](sim::cudart::Device&) -> cudaError_t {
      sim::cudart::refuse(cudaErrorNotSupported, sim::FindingKind::unsupported,
                          "cuTensorMapEncodeTiled with an interleaved layout is not simulated");
    });
    return sim::cudart::driver::result(refused);
  }
  TensorMap map;
  map.magic = TensorMap::kMagic;
  map.rank = static_cast<std::uint8_t>(rank);
  map.element_bytes = kTypes[type].bytes;
  map.element = kTypes[type].element;
  map.swizzle = static_cast<std::uint8_t>(swizzle);
  map.nan_fill = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  map.address = reinterpret_cast<std::uintptr_t>(address);
  bool possible = map.address % kGranule == 0 && (kTypes[type].floating || map.nan_fill == 0);
  for (unsigned i = 0; i < rank; ++i) {
    possible &=
        within(extents[i], 1, kMostExtent) && within(box[i], 1, kMostBox) && within(steps[i], 1, kMostStep);
    map.extent[i] = extents[i];
    map.box[i] = static_cast<std::uint16_t>(box[i]);
    map.step[i] = static_cast<std::uint8_t>(steps[i]);
    if (i + 1 == rank) continue;
    possible &= strides[i] % kGranule == 0 && strides[i] < kMostStride;
    map.stride[i] = strides[i];
  }
  const unsigned row = box[0] * map.element_bytes;
  possible &= row % kGranule == 0 && (swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || row <= kGranule << swizzle);
  if (!possible || map.box_bytes() > kMostBytes) return CUDA_ERROR_INVALID_VALUE;
  *to = {};
  std::memcpy(to, &map, sizeof map);
  return CUDA_SUCCESS;
}

}  // extern "C"
