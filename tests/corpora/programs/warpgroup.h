// What programs with wgmma share: its instructions, by the names that PTX gives them.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "bulk.h"

// One product: D of 64 x 8 floats, 4 for each thread; A of 64 x 16 halves, B of 8 x 16, both K-major and
// without a swizzle: pieces of 8 rows of 16 bytes.
constexpr int kRowsA = 64, kRowsB = 8, kDepth = 16;

/// A descriptor of such a matrix. Its two columns of pieces lie behind each other.
__device__ inline std::uint64_t descriptor(const __half* matrix, int rows) {
  const auto field = [](std::uint64_t bytes) { return (bytes & 0x3FFFF) >> 4; };
  return field(__cvta_generic_to_shared(matrix)) | field(rows * 16) << 16 | field(128) << 32;
}

/// Where element (row, column) of such a matrix lies.
__device__ inline int place(int row, int column, int rows) {
  return column / 8 * rows * 8 + row * 8 + column % 8;
}

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

/// d += A * B^T, under way until its group has been waited for.
__device__ inline void wgmma(float (&d)[4], const __half* a, const __half* b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(a, kRowsA)), "l"(descriptor(b, kRowsB))
               : "memory");
}

/// The same with A in registers.
__device__ inline void wgmma(float (&d)[4], const std::uint32_t (&a)[4], const __half* b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(b, kRowsB))
      : "memory");
}

/// Fills a matrix of the shape above by ordinary stores of all threads.
__device__ inline void fill(__half* matrix, int rows, float value) {
  for (int i = threadIdx.x; i < rows * kDepth; i += blockDim.x) matrix[i] = __float2half(value);
}
