// Rung 6: a tile of 64 x 64.
#include <cstdint>

#include "transpose.h"

constexpr int kTile = 64;               // a row of the tile is 64 x 4 B = two lines of 128 B
constexpr int kWide = 4;                // floats in an access of 16 B, the widest a thread has
constexpr int kEach = 2;                // such accesses a thread: their loads are under way together
constexpr int kRows = kTile / kEach;    // 16 x 32 threads: a block moves four times as much
constexpr int kAcross = kTile / kWide;  // threads that take a row of the tile

/// Four neighbours of a row of `width` floats, from `col` on. A 16-byte access must start at a multiple
/// of 16 bytes, so rows of any other width go float by float; floats behind the row's end are 0.
template <bool kAligned>
__device__ float4 load(const float* row, int col, int width) {
  if constexpr (kAligned) {
    if (col < width) return *reinterpret_cast<const float4*>(row + col);
    return {};
  } else {
    return {col < width ? row[col] : 0.0f, col + 1 < width ? row[col + 1] : 0.0f,
            col + 2 < width ? row[col + 2] : 0.0f, col + 3 < width ? row[col + 3] : 0.0f};
  }
}

/// The way back; floats behind the row's end are dropped.
template <bool kAligned>
__device__ void store(float* row, int col, int width, float4 value) {
  if constexpr (kAligned) {
    if (col < width) *reinterpret_cast<float4*>(row + col) = value;
  } else {
    if (col < width) row[col] = value.x;
    if (col + 1 < width) row[col + 1] = value.y;
    if (col + 2 < width) row[col + 2] = value.z;
    if (col + 3 < width) row[col + 3] = value.w;
  }
}

template <bool kAligned>
__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y:
  // tile by tile down the columns of `in`, so that blocks that run together write along rows of `out`.
  const int tiles_down = (rows + kTile - 1) / kTile;
  const int col0 = blockIdx.x / tiles_down * kTile;  // the tile's first column and row in `in`
  const int row0 = blockIdx.x % tiles_down * kTile;
  const int x = threadIdx.x * kWide;  // the first of this thread's columns of the tile

  __shared__ float tile[kTile][kTile + 1];
  float4 element[kEach] = {};  // in registers, as long as the loops over it are unrolled
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int row = row0 + threadIdx.y + k * kRows, col = col0 + x;
    if (row < rows) element[k] = load<kAligned>(in + static_cast<std::size_t>(row) * cols, col, cols);
  }
  // TODO(1): store this thread's floats into the tile, each at its place, then gather columns of the tile and
  //          store them to `out`, as in rung 5. Threads read what other threads wrote: mind the order (14
  //          lines).
}

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // Every row of both matrices starts at a multiple of 16 bytes if the matrices do and 4 divides both widths.
  const auto addresses = reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in);
  const bool aligned = addresses % sizeof(float4) == 0 && rows % kWide == 0 && cols % kWide == 0;
  const auto kernel = aligned ? transpose_kernel<true> : transpose_kernel<false>;
  // TODO(2): launch the kernel: how many blocks does the matrix take now, and how many threads does such a
  //          tile, kEach accesses of kWide floats each (2 lines)?
  return cudaGetLastError();
}
