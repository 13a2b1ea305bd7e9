// Rung 4: a small tile: shared memory no longer says how many blocks a multiprocessor can hold.
#include "occupancy.h"

constexpr int kBlock = 32;     // threads a block: one warp
constexpr int kTile = kBlock;  // loudspeakers in shared memory: one for each thread to bring, 512 bytes

/// Adds what @p listener hears of @p speaker.
__device__ void add_wave(float2& sum, float4 listener, float4 speaker) {
  const float dx = speaker.x - listener.x, dy = speaker.y - listener.y, dz = speaker.z - listener.z;
  const float squares = dx * dx + dy * dy + dz * dz;
  const float reciprocal = rsqrtf(squares);
  const float r = squares * reciprocal;
  const float turns = kTurns * r;
  const float amplitude = speaker.w * __expf(-kDamping * r) * reciprocal;
  float sine, cosine;
  __sincosf(kTwoPi * (turns - rintf(turns)), &sine, &cosine);
  sum.x += amplitude * cosine;
  sum.y += amplitude * sine;
}

__global__ void field_kernel(float2* out, const float4* listeners, const float4* speakers, std::int64_t n,
                             int m) {
  __shared__ float4 tile[kTile];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  // A thread behind the end has work to do all the same: it helps to fill the tile.
  const float4 listener = i < n ? listeners[i] : float4{};
  float2 sum{0, 0};
  // TODO(1): go through the loudspeakers, kTile at a time. Each thread brings one into the tile, if there
  //          is one for it; then it adds the waves of all that are there. Two barriers are needed (8
  //          lines).
  if (i < n) out[i] = sum;
}

cudaError_t field(float2* out, const float4* listeners, const float4* speakers, std::int64_t n, int m) {
  if (n == 0) return cudaSuccess;
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  field_kernel<<<blocks, kBlock>>>(out, listeners, speakers, n, m);
  return cudaGetLastError();
}
