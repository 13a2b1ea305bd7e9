// Rung 5: four loudspeakers at a time: a thread has four waves under way and needs fewer warps beside it.
#include "occupancy.h"

constexpr int kBlock = 32;     // threads a block: one warp
constexpr int kTile = kBlock;  // loudspeakers in shared memory: one for each thread to bring, 512 bytes
constexpr int kChains = 4;     // waves a thread computes side by side, none needing another's result

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
  float2 sum[kChains] = {};
  for (int first = 0; first < m; first += kTile) {
    const int count = min(kTile, m - first);
    __syncthreads();  // nobody reads the old tile any more
    // TODO(1): bring a loudspeaker into the tile. The last tile is filled up, so that it has whole groups
    //          of kChains: behind loudspeaker m - 1 put something that is never heard, at a place where no
    //          listener can be (3 lines).
    // BEGIN SOLUTION
    // The last tile is filled up with silence, so that there are whole groups of kChains in it.
    float4 mine = speakers[min(first + int(threadIdx.x), m - 1)];
    if (threadIdx.x >= count) mine.w = 0;
    tile[threadIdx.x] = mine;
    // END SOLUTION
    __syncthreads();  // the new tile is complete
    // TODO(2): go through the tile in steps of kChains. Within a step, unrolled: loudspeaker j + k goes
    //          into sum[k] (5 lines).
    // BEGIN SOLUTION
#pragma unroll 1  // one group at a time
    for (int j = 0; j < count; j += kChains) {
#pragma unroll
      for (int k = 0; k < kChains; ++k) add_wave(sum[k], listener, tile[j + k]);
    }
    // END SOLUTION
  }
  // TODO(3): add up the sums and store what comes out, if there is such a listener (6 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 1; k < kChains; ++k) {
    sum[0].x += sum[k].x;
    sum[0].y += sum[k].y;
  }
  if (i < n) out[i] = sum[0];
  // END SOLUTION
}

cudaError_t field(float2* out, const float4* listeners, const float4* speakers, std::int64_t n, int m) {
  if (n == 0) return cudaSuccess;
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  field_kernel<<<blocks, kBlock>>>(out, listeners, speakers, n, m);
  return cudaGetLastError();
}
