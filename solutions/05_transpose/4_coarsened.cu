// Rung 4: four elements a thread, their loads independent, so that one thread waits for four at once.
#include "transpose.h"

constexpr int kTile = 32;  // a warp takes one row of the tile: 32 lanes x 4 B = one line of 128 B
constexpr int kRows = 8;   // 32 x 8 threads a block: smaller blocks, more of them beside each other
constexpr int kEach = kTile / kRows;  // elements a thread moves

__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];  // the padding puts a column's elements in 32 banks
  const int tiles_down = (rows + kTile - 1) / kTile;
  const int col0 = blockIdx.x / tiles_down * kTile;  // the tile's first column and row in `in`
  const int row0 = blockIdx.x % tiles_down * kTile;

  const int col = col0 + threadIdx.x;
  if (col < cols) {
    float element[kEach] = {};  // in registers, as long as the loops over it are unrolled
    // TODO(1): load this thread's elements, kRows rows apart, where `in` has them. Let nothing but loads
    //          happen in the loop, and unroll it: then no load waits for another (5 lines).
    // BEGIN SOLUTION
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const int row = row0 + threadIdx.y + k * kRows;
      if (row < rows) element[k] = in[static_cast<std::size_t>(row) * cols + col];
    }
    // END SOLUTION
#pragma unroll
    for (int k = 0; k < kEach; ++k) tile[threadIdx.y + k * kRows][threadIdx.x] = element[k];
  }
  __syncthreads();  // a thread takes out what another put in

  const int out_col = row0 + threadIdx.x;  // the tile's place in `out` is mirrored
  if (out_col < rows) {
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const int out_row = col0 + threadIdx.y + k * kRows;
      if (out_row < cols)
        out[static_cast<std::size_t>(out_row) * rows + out_col] = tile[threadIdx.x][threadIdx.y + k * kRows];
    }
  }
}

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const unsigned tiles_down = (rows + kTile - 1) / kTile, tiles_across = (cols + kTile - 1) / kTile;
  transpose_kernel<<<tiles_down * tiles_across, dim3(kTile, kRows)>>>(out, in, rows, cols);
  return cudaGetLastError();
}
