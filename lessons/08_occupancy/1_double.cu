// Rung 1: one listener a thread, everything in double, to be on the safe side.
#include "occupancy.h"

constexpr int kBlock = 32;   // threads a block: one warp
constexpr int kTile = 3072;  // loudspeakers in shared memory: 48 KiB, all that a block may declare

/// Adds what @p listener hears of @p speaker.
__device__ void add_wave(double2& sum, float4 listener, float4 speaker) {
  // Differences of floats are nearly exact in double.
  const double dx = double(speaker.x) - listener.x, dy = double(speaker.y) - listener.y,
               dz = double(speaker.z) - listener.z;
  // TODO(1): the distance r, the amplitude and the phase, as the contract has them, with sqrt, exp and
  //          sincos(phase, &sine, &cosine); add the wave to sum (6 lines).
}

__global__ void field_kernel(float2* out, const float4* listeners, const float4* speakers, std::int64_t n,
                             int m) {
  __shared__ float4 tile[kTile];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  // A thread behind the end has work to do all the same: it helps to fill the tile.
  const float4 listener = i < n ? listeners[i] : float4{};
  double2 sum{0, 0};
  for (int first = 0; first < m; first += kTile) {
    const int count = min(kTile, m - first);
    // TODO(2): fill the tile with the next `count` loudspeakers, kBlock threads at a time; then each thread
    //          adds the wave of every one of them. What has to be done before the tile is filled, and what
    //          before it is read (5 lines)?
  }
  if (i < n) out[i] = {float(sum.x), float(sum.y)};
}

cudaError_t field(float2* out, const float4* listeners, const float4* speakers, std::int64_t n, int m) {
  if (n == 0) return cudaSuccess;
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  field_kernel<<<blocks, kBlock>>>(out, listeners, speakers, n, m);
  return cudaGetLastError();
}
