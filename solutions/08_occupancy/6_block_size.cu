// Rung 6: the runtime is asked for the block size that keeps most warps on a multiprocessor.
#include "occupancy.h"

constexpr int kChains = 4;  // waves a thread computes side by side, none needing another's result

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
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  // A thread behind the end has work to do all the same: it helps to fill the tile.
  const float4 listener = i < n ? listeners[i] : float4{};
  float2 sum[kChains] = {};
  // TODO(1): rung 5's loop, for blocks of any size: the tile has as many places as the block has threads,
  //          so its size is not known here, but at the launch: it is declared extern, and without one (15
  //          lines).
  // BEGIN SOLUTION
  extern __shared__ float4 tile[];  // as many loudspeakers as the block has threads
  const int size = blockDim.x;
  for (int first = 0; first < m; first += size) {
    const int count = min(size, m - first);
    __syncthreads();  // nobody reads the old tile any more
    // The last tile is filled up with silence, so that there are whole groups of kChains in it.
    float4 mine = speakers[min(first + int(threadIdx.x), m - 1)];
    if (threadIdx.x >= count) mine.w = 0;
    tile[threadIdx.x] = mine;
    __syncthreads();  // the new tile is complete
#pragma unroll 1      // one group at a time
    for (int j = 0; j < count; j += kChains) {
#pragma unroll
      for (int k = 0; k < kChains; ++k) add_wave(sum[k], listener, tile[j + k]);
    }
  }
  // END SOLUTION
#pragma unroll
  for (int k = 1; k < kChains; ++k) {
    sum[0].x += sum[k].x;
    sum[0].y += sum[k].y;
  }
  if (i < n) out[i] = sum[0];
}

/// Shared memory of a block, in bytes, which depends on its size.
struct TileBytes {
  __host__ __device__ std::size_t operator()(int block) const { return block * sizeof(float4); }
};

cudaError_t field(float2* out, const float4* listeners, const float4* speakers, std::int64_t n, int m) {
  if (n == 0) return cudaSuccess;
  int enough = 0, block = 0;  // blocks that fill the GPU (not needed here); threads a block
  // TODO(2): let cudaOccupancyMaxPotentialBlockSizeVariableSMem find both for field_kernel, whose blocks
  //          take as much shared memory as TileBytes says. Return its error, if it has one (3 lines).
  // BEGIN SOLUTION
  const cudaError_t error =
      cudaOccupancyMaxPotentialBlockSizeVariableSMem(&enough, &block, field_kernel, TileBytes{});
  if (error != cudaSuccess) return error;
  // END SOLUTION
  // TODO(3): launch as many blocks of that size as n listeners need, with their shared memory as the third
  //          number between <<< and >>> (2 lines).
  // BEGIN SOLUTION
  const unsigned blocks = static_cast<unsigned>((n + block - 1) / block);
  field_kernel<<<blocks, block, TileBytes{}(block)>>>(out, listeners, speakers, n, m);
  // END SOLUTION
  return cudaGetLastError();
}
