// Rung 5: cells with much to do are put together, so that no warp waits for a single one of its lanes.
#include "divergence.h"

constexpr int kBlock = 256;        // threads a block: eight warps
constexpr int kTile = 4 * kBlock;  // cells a block does; among 1024, some 256 have a long way to go

/// The temperature of a cell after so many steps.
__device__ float cool(float temperature, int steps, bool copper) {
  const float rate = copper ? kCopperRate : kIronRate, slope = copper ? 0.0f : kIronSlope;
#pragma unroll 1  // as in materials.h
  for (int step = 0; step < steps; ++step)
    temperature += (rate + slope * temperature) * (kAmbient - temperature);
  return temperature;
}

/// Whether a cell has much to do. None has between 16 and 199 steps.
__device__ bool is_long(int steps) { return steps >= 100; }

__global__ void anneal_kernel(float* out, const float* in, const std::uint8_t* steps, std::int64_t n) {
  __shared__ float tile[kTile];           // temperatures, in the order of the cells
  __shared__ std::uint8_t length[kTile];  // their steps
  __shared__ std::uint16_t order[kTile];  // numbers of cells: short from the front, long from the back
  __shared__ int shorts, longs;           // how many of each there are
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile;
  // TODO(1): the counters start from 0. Then go through the tile's cells, kBlock threads at a time: keep
  //          the cell's temperature and length, take the next free place of `order`, from the front if it
  //          is short, from the back if it is long, and put the cell's number there. atomicAdd(&counter, 1)
  //          counts one up and gives what the counter was before, whatever other threads do meanwhile (8
  //          lines).
  // BEGIN SOLUTION
  if (threadIdx.x == 0) shorts = longs = 0;
  __syncthreads();  // the counters are 0 before anybody counts

  for (int cell = threadIdx.x; cell < kTile && first + cell < n; cell += kBlock) {
    tile[cell] = in[first + cell];
    length[cell] = steps[first + cell];
    const int place = is_long(length[cell]) ? kTile - 1 - atomicAdd(&longs, 1) : atomicAdd(&shorts, 1);
    order[place] = static_cast<std::uint16_t>(cell);
  }
  // END SOLUTION
  // TODO(2): walk along `order`, kBlock threads at a time, and cool each cell of it within `tile`. The last
  //          block's tile may have fewer cells than kTile: which places of `order` are empty then? Mind
  //          what has to be complete before, and what the code below counts on (8 lines).
  // BEGIN SOLUTION
  __syncthreads();  // `order` is complete before it is read

  // In the tile of the last block there may be a gap between short and long cells.
  for (int place = threadIdx.x; place < kTile; place += kBlock) {
    if (place < shorts || place >= kTile - longs) {
      const int cell = order[place];
      tile[cell] = cool(tile[cell], length[cell], cell % 2 == 0);  // nobody else has this cell
    }
  }
  __syncthreads();  // a pair's cells were cooled by any two threads of the block
  // END SOLUTION

  for (int cell = threadIdx.x; cell < kTile && first + cell < n; cell += kBlock) {
    const bool paired = ((first + cell) ^ 1) < n;
    out[first + cell] = paired ? 0.5f * (tile[cell] + tile[cell ^ 1]) : tile[cell];
  }
}

cudaError_t anneal(float* out, const float* in, const std::uint8_t* steps, std::int64_t n) {
  if (n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  anneal_kernel<<<static_cast<unsigned>((n + kTile - 1) / kTile), kBlock>>>(out, in, steps, n);
  return cudaGetLastError();
}
