// The product of the blank page, the same for everybody: what that page is about happens around it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#ifdef __CUDACC__
#include "common/cuda_check.h"

constexpr int kProductTile = 32;  ///< rows and columns of a block's tile, and steps of the sum at a time

/// Thread (x, y) of a block computes rows y, y + 8, y + 16 and y + 24 of column x of its tile.
static __global__ void partial_kernel(float* out, const float* x, const float* w, std::int64_t rows,
                                      std::int64_t cols, std::int64_t inner) {
  constexpr int kThreadRows = 4, kRowsApart = kProductTile / kThreadRows;
  __shared__ float of_x[kProductTile][kProductTile], of_w[kProductTile][kProductTile];
  const std::int64_t col = std::int64_t{blockIdx.x} * kProductTile + threadIdx.x;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * kProductTile + threadIdx.y;
  float sum[kThreadRows] = {};
  for (std::int64_t from = 0; from < inner; from += kProductTile) {
    for (int j = 0; j < kThreadRows; ++j) {
      const std::int64_t row = first_row + j * kRowsApart, k = from + threadIdx.y + j * kRowsApart;
      of_x[threadIdx.y + j * kRowsApart][threadIdx.x] =
          row < rows && from + threadIdx.x < inner ? x[row * inner + from + threadIdx.x] : 0;
      of_w[threadIdx.y + j * kRowsApart][threadIdx.x] = k < inner && col < cols ? w[k * cols + col] : 0;
    }
    __syncthreads();
    for (int k = 0; k < kProductTile; ++k)
      for (int j = 0; j < kThreadRows; ++j)
        sum[j] += of_x[threadIdx.y + j * kRowsApart][k] * of_w[k][threadIdx.x];
    __syncthreads();  // before the tiles are overwritten
  }
  for (int j = 0; j < kThreadRows; ++j)
    if (const std::int64_t row = first_row + j * kRowsApart; row < rows && col < cols)
      out[row * cols + col] = sum[j];
}

/// Puts out = x * w into a stream of the current device. Nothing waits.
/// @param out   device, [rows][cols]
/// @param x, w  device, [rows][inner] and [inner][cols]; all extents > 0
inline void launch_partial(float* out, const float* x, const float* w, std::int64_t rows, std::int64_t cols,
                           std::int64_t inner, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>((cols + kProductTile - 1) / kProductTile),
                    static_cast<unsigned>((rows + kProductTile - 1) / kProductTile));
  partial_kernel<<<blocks, dim3(kProductTile, 8), 0, stream>>>(out, x, w, rows, cols, inner);
  CUDA_CHECK(cudaGetLastError());
}
#endif
