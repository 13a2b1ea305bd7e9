// What programs with boxes as factors of wgmma share: descriptors of all layouts, products that read them,
// and matrices whose products are known.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <vector>

#include "tensor.h"
#include "warpgroup.h"

constexpr int kThreads = 128;   // a warpgroup
constexpr int kM = 64, kN = 8;  // of a product
constexpr int kColumns = 128;   // of matrices in global memory: of a box a part, so that its rows lie apart

/// How a descriptor says that a matrix lies: bytes, but for the base offset.
struct Layout {
  int swizzle, leading, stride, base_offset = 0;
};

__device__ inline std::uint64_t descriptor_of(const void* start, Layout l) {
  const auto field = [](std::uint64_t bytes) { return (bytes & 0x3FFFF) >> 4; };
  const std::uint64_t mode = l.swizzle == 0 ? 0 : l.swizzle == 128 ? 1 : l.swizzle == 64 ? 2 : 3;
  return field(__cvta_generic_to_shared(start)) | field(l.leading) << 16 | field(l.stride) << 32 |
         std::uint64_t(l.base_offset) << 49 | mode << 62;
}

/// d += A * B^T of 64 x 16 and 8 x 16 halves. @tparam kAcrossA,kAcrossB  the factor is MN-major
template <int kAcrossA = 0, int kAcrossB = 0>
__device__ inline void multiply(float (&d)[4], std::uint64_t a, std::uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, %6, %7;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(a), "l"(b), "n"(kAcrossA), "n"(kAcrossB)
               : "memory");
}

/// One mbarrier for all copies, which bring so many bytes.
__device__ inline void announce(std::uint64_t* full, int bytes) {
  if (threadIdx.x == 0) {
    mbarrier_init(full, 1);
    fence_mbarrier_init();
    mbarrier_expect(full, bytes);
  }
  __syncthreads();
}

/// Waits for the products and stores their sums, 64 x 8 of each warpgroup.
__device__ inline void store_sums(float* out, const float (&d)[4]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i) out[(warp * 16 + lane / 4 + i / 2 * 8) * kN + lane % 4 * 2 + i % 2] = d[i];
}

/// A matrix of halves on the device, of small whole numbers.
class Matrix {
 public:
  Matrix(int rows, int columns, int seed) : columns_(columns), seed_(seed) {
    std::vector<__half> values;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) values.push_back(__float2half(float(at(r, c))));
    cudaMalloc(&data_, values.size() * sizeof(__half));
    cudaMemcpy(data_, values.data(), values.size() * sizeof(__half), cudaMemcpyHostToDevice);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { cudaFree(data_); }

  operator __half*() const { return data_; }
  int at(int r, int c) const { return (r * 5 + c * 3 + r * c % 11 + seed_) % 7 - 3; }
  int columns() const { return columns_; }

 private:
  __half* data_ = nullptr;
  int columns_, seed_;
};

/// A map of boxes of a matrix of @p rows rows.
inline CUtensorMap boxes_of(const Matrix& matrix, int rows, int box_rows, int box_columns,
                            CUtensorMapSwizzle swizzle) {
  return map_of(static_cast<__half*>(matrix), CU_TENSOR_MAP_DATA_TYPE_FLOAT16, unsigned(rows),
                unsigned(matrix.columns()), unsigned(box_rows), unsigned(box_columns), swizzle);
}

/// A map of boxes of core matrices: 8 columns of @p rows rows below each other, @p groups of them.
inline CUtensorMap core_matrices_of(const Matrix& matrix, int rows, int box_rows, int groups) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult status{};
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &status);
  CUtensorMap map{};
  const cuuint64_t extent[] = {8, cuuint64_t(rows), cuuint64_t(matrix.columns() / 8)};
  const cuuint64_t stride[] = {matrix.columns() * sizeof(__half), 8 * sizeof(__half)};
  const cuuint32_t box[] = {8, cuuint32_t(box_rows), cuuint32_t(groups)}, step[] = {1, 1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, static_cast<__half*>(matrix), extent, stride, box, step,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

__device__ inline void box_load_3d(void* to, const CUtensorMap* map, int row, int group, std::uint64_t* b) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, %2, "
      "%3}], [%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(row), "r"(group), "r"(shared_address(b))
      : "memory");
}
