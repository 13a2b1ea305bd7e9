// The host's half of a copy by the TMA: what a matrix looks like, and which piece of it a copy takes.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace detail {

/// The driver's function that makes tensor maps. No library is linked for it: the runtime asks the driver.
inline decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(
        status == cudaDriverEntryPointSuccess ? found : nullptr);
  }();
  return encode;
}

}  // namespace detail

/// Makes the tensor map of a row-major matrix, whose boxes are 64 columns (128 bytes) wide and lie in shared
/// memory with a swizzle of 128 bytes: vector v, of 16 bytes, of row r is at place v ^ r % 8 of its row.
///
/// @param[out] map       to pass to the kernel as `const __grid_constant__ CUtensorMap`
/// @param      matrix    device, at a multiple of 16 bytes
/// @param      rows      > 0
/// @param      cols      > 0, a multiple of 8: rows begin at multiples of 16 bytes
/// @param      box_rows  rows of a box, 1 to 256
/// @return cudaSuccess, or cudaErrorInvalidValue where the driver refuses
inline cudaError_t make_tensor_map(CUtensorMap* map, const __nv_bfloat16* matrix, int rows, int cols,
                                   int box_rows) {
  constexpr unsigned kBoxCols = 64;
  const auto encode = detail::tensor_map_encoder();
  if (encode == nullptr) return cudaErrorNotSupported;
  // The axis along which elements are neighbours comes first.
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[] = {extents[0] * sizeof(__nv_bfloat16)};
  const cuuint32_t box[] = {kBoxCols, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[] = {1, 1};  // from one element of the box to the next
  const CUresult result =
      encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<__nv_bfloat16*>(matrix), extents, row_bytes,
             box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
