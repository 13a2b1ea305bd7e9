// Rung 4: no branch at all: both materials follow one formula, and each lane picks its numbers.
#include "divergence.h"

constexpr int kBlock = 256;  // threads a block: eight warps

/// The temperature of a cell after so many steps.
__device__ float cool(float temperature, int steps, bool copper) {
  // TODO(1): copper is iron with another rate and a slope of 0. Choose the two numbers with `?:`, which the
  //          compiler turns into selects, and let one loop do for both, under `#pragma unroll 1` as in
  //          materials.h: else unrolling is what you measure, and not the branch (4 lines).
  // BEGIN SOLUTION
  const float rate = copper ? kCopperRate : kIronRate, slope = copper ? 0.0f : kIronSlope;
#pragma unroll 1  // as in materials.h
  for (int step = 0; step < steps; ++step)
    temperature += (rate + slope * temperature) * (kAmbient - temperature);
  // END SOLUTION
  return temperature;
}

__global__ void anneal_kernel(float* out, const float* in, const std::uint8_t* steps, std::int64_t n) {
  __shared__ float tile[kBlock];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  float mine = 0;
  if (i < n) mine = cool(in[i], steps[i], i % 2 == 0);

  tile[threadIdx.x] = mine;
  __syncwarp();  // the loop's length differed from lane to lane: they need not arrive together
  const bool paired = (i ^ 1) < n;
  if (i < n) out[i] = paired ? 0.5f * (mine + tile[threadIdx.x ^ 1]) : mine;
}

cudaError_t anneal(float* out, const float* in, const std::uint8_t* steps, std::int64_t n) {
  if (n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  anneal_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(out, in, steps, n);
  return cudaGetLastError();
}
