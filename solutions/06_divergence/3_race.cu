// Rung 3, bug hunt: rung 2, but each block goes on to its next tile. It is racy: warps run at their own
// speed.
#include "materials.h"

constexpr int kBlock = 256;        // threads a block: eight warps
constexpr int kHalf = kBlock / 2;  // the first four warps cool the copper, the last four the iron
constexpr int kTiles = 4;          // tiles of kBlock cells that a block does, one after the other

__global__ void anneal_kernel(float* out, const float* in, const std::uint8_t* steps, std::int64_t n) {
  __shared__ float tile[kBlock];
  for (int k = 0; k < kTiles; ++k) {
    const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * kTiles + k) * kBlock;
    const int cell = 2 * (threadIdx.x % kHalf) + threadIdx.x / kHalf;
    if (first + cell < n) {
      if (cell % 2 == 0)
        tile[cell] = cool_copper(in[first + cell], steps[first + cell]);
      else
        tile[cell] = cool_iron(in[first + cell], steps[first + cell]);
    }

    // TODO(1): who wrote what the next lines read? What has to happen first (1 line)?
    // BEGIN SOLUTION
    __syncthreads();  // copper and iron of a pair come from different warps
    // END SOLUTION

    // Written in order again: neighbouring lanes, neighbouring cells.
    const std::int64_t i = first + threadIdx.x;
    const bool paired = (i ^ 1) < n;
    if (i < n) out[i] = paired ? 0.5f * (tile[threadIdx.x] + tile[threadIdx.x ^ 1]) : tile[threadIdx.x];

    // TODO(2): a fast warp goes on to the next tile now. What might a slow one still be doing (1 line)?
    // BEGIN SOLUTION
    __syncthreads();  // nobody overwrites the tile before everybody has read it
    // END SOLUTION
  }
}

cudaError_t anneal(float* out, const float* in, const std::uint8_t* steps, std::int64_t n) {
  if (n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  constexpr int kPerBlock = kBlock * kTiles;
  anneal_kernel<<<static_cast<unsigned>((n + kPerBlock - 1) / kPerBlock), kBlock>>>(out, in, steps, n);
  return cudaGetLastError();
}
