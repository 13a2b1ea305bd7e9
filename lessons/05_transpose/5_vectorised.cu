// Rung 5: 16 bytes an access, over tiles of 64 x 64.
#include <cstdint>

#include "transpose.h"

constexpr int kTile = 64;
constexpr int kWide = 4;                // floats in an access of 16 B, the widest a thread has
constexpr int kAcross = kTile / kWide;  // 16 threads take a row of the tile
constexpr int kRows = 32;               // 16 x 32 threads a block
constexpr int kEach = kTile / kRows;    // accesses a thread has in flight: 2 x 16 B

/// Four neighbours of a row of `width` floats, from `col` on. A 16-byte access must start at a multiple
/// of 16 bytes, so rows of any other width go float by float; floats behind the row's end are 0.
template <bool kAligned>
__device__ float4 load(const float* row, int col, int width) {
  if constexpr (kAligned) {
    // TODO(1): load the four as one float4, if the row has them (2 lines).
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
    // TODO(2): store the four as one float4, if the row has room for them (1 line).
  } else {
    if (col < width) row[col] = value.x;
    if (col + 1 < width) row[col + 1] = value.y;
    if (col + 2 < width) row[col + 2] = value.z;
    if (col + 3 < width) row[col + 3] = value.w;
  }
}

template <bool kAligned>
__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const int tiles_down = (rows + kTile - 1) / kTile;
  const int col0 = blockIdx.x / tiles_down * kTile;  // the tile's first column and row in `in`
  const int row0 = blockIdx.x % tiles_down * kTile;
  const int x = threadIdx.x * kWide;  // this thread's four columns of the tile

  float4 element[kEach];  // all loads first: none waits for another
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int row = row0 + threadIdx.y + k * kRows;
    element[k] =
        row < rows ? load<kAligned>(in + static_cast<std::size_t>(row) * cols, col0 + x, cols) : float4{};
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    float* row =
        &tile[threadIdx.y + k * kRows][x];  // one float each: the padding left no row 16-byte aligned
    row[0] = element[k].x, row[1] = element[k].y, row[2] = element[k].z, row[3] = element[k].w;
  }
  __syncthreads();  // a thread takes out what others put in

#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    // TODO(3): a column of the tile is a row of `out`. Gather the four floats of column
    //          y = threadIdx.y + k * kRows from rows x to x + 3 of the tile, and store them in
    //          row col0 + y of `out`, from column row0 + x on, if there is such a row (4 lines).
  }
}

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const unsigned tiles_down = (rows + kTile - 1) / kTile, tiles_across = (cols + kTile - 1) / kTile;
  const dim3 grid(tiles_down * tiles_across), block(kAcross, kRows);
  // Every row of both matrices starts at a multiple of 16 bytes if the matrices do and 4 divides both widths.
  const auto addresses = reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in);
  if (addresses % sizeof(float4) == 0 && rows % kWide == 0 && cols % kWide == 0)
    transpose_kernel<true><<<grid, block>>>(out, in, rows, cols);
  else
    transpose_kernel<false><<<grid, block>>>(out, in, rows, cols);
  return cudaGetLastError();
}
