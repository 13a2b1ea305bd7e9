// What programs with tensor maps share: making one of a matrix, and the copies of its boxes.
#pragma once

#include <cuda.h>

#include "bulk.h"

/// A map of a row-major matrix, of boxes of @p box_rows x @p box_columns.
template <class T>
CUtensorMap map_of(T* matrix, CUtensorMapDataType type, unsigned rows, unsigned columns, unsigned box_rows,
                   unsigned box_columns, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult status{};
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &status);
  CUtensorMap map{};
  const cuuint64_t extent[] = {columns, rows}, stride[] = {columns * sizeof(T)};
  const cuuint32_t box[] = {box_columns, box_rows}, step[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, type, 2, matrix, extent, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

/// The box that begins at a row and a column, counted at an mbarrier.
__device__ inline void box_load(void* to, const CUtensorMap* map, int row, int column, std::uint64_t* b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(column), "r"(row), "r"(shared_address(b))
      : "memory");
}
/// Shared memory to the box, in the thread's open bulk group.
__device__ inline void box_store(const CUtensorMap* map, int row, int column, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(column), "r"(row), "r"(shared_address(from))
               : "memory");
}
