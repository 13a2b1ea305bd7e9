// Blank page: a picture turned by a quarter.
#include "blank_page.h"

// TODO(1): quarter_turn(), as blank_page.h has it: the kernel, and the function that launches it.
// BEGIN SOLUTION
constexpr int kTile = 32;             // a row of a tile is 32 x 4 B = one line of 128 B
constexpr int kEach = 4;              // pixels a thread moves: their loads are under way together
constexpr int kRows = kTile / kEach;  // 32 x 8 threads

__global__ void quarter_turn_kernel(std::uint32_t* out, const std::uint32_t* in, int width, int height) {
  __shared__ std::uint32_t tile[kTile][kTile + 1];  // padded: a column lies in 32 banks
  // Tile below tile, as blocks that run together then write along rows of `out`.
  const int tiles_down = (height + kTile - 1) / kTile;
  const int x0 = blockIdx.x / tiles_down * kTile, y0 = blockIdx.x % tiles_down * kTile;
  std::uint32_t pixel[kEach] = {};
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y + k * kRows;
    if (x < width && y < height) pixel[k] = in[static_cast<std::size_t>(y) * width + x];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[threadIdx.y + k * kRows][threadIdx.x] = pixel[k];
  __syncthreads();  // a thread takes out what another put in
  // Lanes run along a row of `out` now, which is a column of `in` from below.
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int row = threadIdx.x, column = threadIdx.y + k * kRows;  // in the tile
    const int x = x0 + column, y = y0 + row;
    if (x < width && y < height)
      out[static_cast<std::size_t>(x) * height + (height - 1 - y)] = tile[row][column];
  }
}

cudaError_t quarter_turn(std::uint32_t* out, const std::uint32_t* in, int width, int height) {
  if (width == 0 || height == 0) return cudaSuccess;
  const unsigned tiles_down = (height + kTile - 1) / kTile, tiles_across = (width + kTile - 1) / kTile;
  quarter_turn_kernel<<<tiles_down * tiles_across, dim3(kTile, kRows)>>>(out, in, width, height);
  return cudaGetLastError();
}
// END SOLUTION
