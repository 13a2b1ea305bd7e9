// Rung 3: functions that the hardware has, an instruction or two each, with a known error.
#include "occupancy.h"

constexpr int kBlock = 32;   // threads a block: one warp
constexpr int kTile = 3072;  // loudspeakers in shared memory: 48 KiB, all that a block may declare

/// Adds what @p listener hears of @p speaker.
__device__ void add_wave(float2& sum, float4 listener, float4 speaker) {
  const float dx = speaker.x - listener.x, dy = speaker.y - listener.y, dz = speaker.z - listener.z;
  const float squares = dx * dx + dy * dy + dz * dz;
  // TODO(1): the same with rsqrtf (1 / r; and what is r then?), __expf and __sincosf. The last one is only
  //          good from -pi to pi: take the whole turns away first, with rintf, which is exact (8 lines).
}

__global__ void field_kernel(float2* out, const float4* listeners, const float4* speakers, std::int64_t n,
                             int m) {
  __shared__ float4 tile[kTile];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  // A thread behind the end has work to do all the same: it helps to fill the tile.
  const float4 listener = i < n ? listeners[i] : float4{};
  float2 sum{0, 0};
  for (int first = 0; first < m; first += kTile) {
    const int count = min(kTile, m - first);
    __syncthreads();  // nobody reads the old tile any more
    for (int j = threadIdx.x; j < count; j += kBlock) tile[j] = speakers[first + j];
    __syncthreads();  // the new tile is complete
#pragma unroll 1      // one loudspeaker at a time, as written
    for (int j = 0; j < count; ++j) add_wave(sum, listener, tile[j]);
  }
  if (i < n) out[i] = sum;
}

cudaError_t field(float2* out, const float4* listeners, const float4* speakers, std::int64_t n, int m) {
  if (n == 0) return cudaSuccess;
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  field_kernel<<<blocks, kBlock>>>(out, listeners, speakers, n, m);
  return cudaGetLastError();
}
