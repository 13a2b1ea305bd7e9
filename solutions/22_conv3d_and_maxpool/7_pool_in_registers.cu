// Rung 7: what neighbouring windows share is loaded once: 16 windows of a column and 4 of a row a thread, in
// registers.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "conv3d_and_maxpool.h"

constexpr int kRows = 32, kCols = 128;  // of a block's part of the result, before the stride thins it out
constexpr int kEach = 16;               // rows of it for which a thread goes down a column
constexpr int kThreads = 256;

/// Replaces each element by the maximum of itself and the kWindow - 1 that follow it. The last ones, behind
/// which too few follow, are left with something of no use.
template <int kWindow, int kCount>
__device__ void widen(float (&v)[kCount]) {
  // TODO(1): compare with one neighbour after the other, in place, each element in turn. Loops unrolled:
  //          indices that are known stay registers (4 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int i = 0; i + kWindow <= kCount; ++i)
#pragma unroll
    for (int k = 1; k < kWindow; ++k) v[i] = fmaxf(v[i], v[i + k]);
  // END SOLUTION
}

/// How many windows there are along an extent if they are one apart, from the first to the last that count.
__host__ __device__ int dense(int windows, int stride) { return (windows - 1) * stride + 1; }

template <int kWindow>
__global__ void __launch_bounds__(kThreads) max_pool_kernel(float* out, const float* in, PoolShape shape) {
  constexpr int kInCols = kCols + kWindow - 1;       // of the input, that the block's part needs
  constexpr int kPitch = (kInCols + 3 + 3) / 4 * 4;  // so that rows begin at multiples of 16 bytes
  __shared__ alignas(16) float tall[kRows][kPitch];  // maxima of `window` neighbours in a column
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const int rows = dense(out_rows, shape.stride), cols = dense(out_cols, shape.stride);
  const int across = (cols + kCols - 1) / kCols, down = (rows + kRows - 1) / kRows;
  const int x0 = blockIdx.x % across * kCols, y0 = blockIdx.x / across % down * kRows;
  const std::size_t p = blockIdx.x / across / down;
  const float* plane = in + p * shape.rows * shape.cols;

  for (int i = threadIdx.x; i < kInCols * (kRows / kEach); i += kThreads) {
    const int j = i % kInCols, r = i / kInCols * kEach;  // neighbouring threads have neighbouring columns
    const int row = y0 + r - shape.padding, col = x0 + j - shape.padding;
    const bool is_col = col >= 0 && col < shape.cols;
    const float* from = plane + static_cast<std::ptrdiff_t>(row) * shape.cols + col;
    float v[kEach + kWindow - 1];
    // TODO(2): fill v with this column's elements from `row` on, -INFINITY for those outside of the plane;
    //          widen it; and put the maxima of the kEach windows below each other into `tall`, from row r on
    //          (8 lines).
    // BEGIN SOLUTION
#pragma unroll
    for (int k = 0; k < kEach + kWindow - 1; ++k)
      v[k] = is_col && row + k >= 0 && row + k < shape.rows
                 ? from[static_cast<std::ptrdiff_t>(k) * shape.cols]
                 : -INFINITY;
    widen<kWindow>(v);
#pragma unroll
    for (int k = 0; k < kEach; ++k) tall[r + k][j] = v[k];
    // END SOLUTION
  }
  __syncthreads();  // the columns are there before anybody goes along a row

  const bool whole_vectors =
      shape.stride == 1 && out_cols % 4 == 0 && reinterpret_cast<std::uintptr_t>(out) % sizeof(float4) == 0;
  for (int i = threadIdx.x; i < kRows * kCols / 4; i += kThreads) {
    const int r = i / (kCols / 4), c = i % (kCols / 4) * 4, y = y0 + r, x = x0 + c;
    if (y >= rows || x >= cols) continue;
    alignas(16) float v[(kWindow + 3 + 3) / 4 * 4];  // for four windows, rounded up to whole float4s
    // TODO(3): fill v from row r of `tall`, from column c on, four at a time, and widen it. Windows of no use
    //          to us may take in the pad behind the row, which nobody wrote. Four windows side by side leave
    //          by one store, if `whole_vectors` allows it; else those leave that exist and that the stride
    //          does not leave out (12 lines).
    // BEGIN SOLUTION
#pragma unroll
    for (int k = 0; k < kWindow + 3; k += 4)
      *reinterpret_cast<float4*>(&v[k]) = *reinterpret_cast<const float4*>(&tall[r][c + k]);
    widen<kWindow>(v);
    float* line = out + (p * out_rows + y / shape.stride) * out_cols;
    if (whole_vectors) {
      *reinterpret_cast<float4*>(line + x) = {v[0], v[1], v[2], v[3]};
    } else if (y % shape.stride == 0) {  // of windows one apart, those that count
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (x + k < cols && (x + k) % shape.stride == 0) line[(x + k) / shape.stride] = v[k];
    }
    // END SOLUTION
  }
}

/// Launches the kernel that was compiled for this window: only then are its arrays registers.
template <int kWindow>
cudaError_t launch(float* out, const float* in, const PoolShape& shape) {
  if constexpr (kWindow == 0) {
    return cudaErrorInvalidValue;
  } else {
    if (shape.window != kWindow) return launch<kWindow - 1>(out, in, shape);
    const unsigned across = (dense(shape.out_cols(), shape.stride) + kCols - 1) / kCols;
    const unsigned down = (dense(shape.out_rows(), shape.stride) + kRows - 1) / kRows;
    max_pool_kernel<kWindow><<<across * down * shape.planes, kThreads>>>(out, in, shape);
    return cudaGetLastError();
  }
}

cudaError_t max_pool(float* out, const float* in, const PoolShape& shape) {
  if (shape.planes == 0 || shape.out_rows() == 0 || shape.out_cols() == 0) return cudaSuccess;
  return launch<16>(out, in, shape);
}
