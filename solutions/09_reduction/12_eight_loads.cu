// Rung 12: several loads in flight: a thread sends off eight before it waits for the first.
#include "common/grid.h"
#include "operators.h"
#include "reduction.h"

constexpr int kWarp = 32;                      // lanes of a warp
constexpr int kBlock = 256;                    // threads a block: eight warps
constexpr int kBlocksPerMultiprocessor = 32;   // several times what fits: whoever is done first takes more
constexpr int kWide = 4;                       // floats in 16 bytes, the widest a thread loads
constexpr int kInFlight = 8;                   // loads a thread has under way before it uses the first
constexpr int kTile = kBlock * kInFlight;      // vectors a block takes at a time
constexpr int kPerThread = kWide * kInFlight;  // elements at least: for less, fewer blocks will do

/// The combination of a warp's values, in lane 0.
template <class Op>
__device__ float fold_warp(float value) {
  constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    value = Op::combine(value, __shfl_down_sync(kAllLanes, value, offset));
  return value;
}

template <class Op>
__device__ float combine(float4 v) {
  return Op::combine(Op::combine(v.x, v.y), Op::combine(v.z, v.w));
}

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  __shared__ float partial[kBlock / kWarp];  // a place for each warp
  const unsigned t = threadIdx.x;
  float mine = Op::identity();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + t;

  // A 16-byte load has to start at a multiple of 16 bytes: up to three floats before the first such
  // place and up to three behind the last whole vector go one by one.
  const std::int64_t misplaced = reinterpret_cast<std::uintptr_t>(in) / sizeof(float) % kWide;
  const std::int64_t head = min(n, (kWide - misplaced) % kWide);
  const std::int64_t vectors = (n - head) / kWide;
  const std::int64_t tail = head + vectors * kWide;
  if (thread < head) mine = in[thread];
  if (tail + thread < n) mine = Op::combine(mine, in[tail + thread]);

  const float4* wide = reinterpret_cast<const float4*>(in + head);
  // TODO(1): blocks stride over the whole tiles. Of a tile each thread takes in kInFlight vectors, kBlock
  //          apart: load them all, then combine them all. The first load is used when the last one has
  //          been sent off. __ldcs(address) loads what nobody will want again; nothing checks that (8 lines).
  // BEGIN SOLUTION
  const std::int64_t tiles = vectors / kTile;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float4 v[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) v[k] = __ldcs(wide + tile * kTile + k * kBlock + t);
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) mine = Op::combine(mine, combine<Op>(v[k]));
  }
  // END SOLUTION
  // TODO(2): less than a tile of vectors is left: the grid strides over those as in rung 11 (2 lines).
  // BEGIN SOLUTION
  for (std::int64_t i = tiles * kTile + thread; i < vectors; i += threads)  // less than a tile is left
    mine = Op::combine(mine, combine<Op>(wide[i]));
  // END SOLUTION

  const unsigned lane = t % kWarp, warp = t / kWarp;
  mine = fold_warp<Op>(mine);
  if (lane == 0) partial[warp] = mine;
  __syncthreads();  // all warps have left their result before the first one reads them
  if (warp == 0) mine = fold_warp<Op>(lane < kBlock / kWarp ? partial[lane] : Op::identity());

  if (t == 0) out[blockIdx.x] = mine;
}

template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  const unsigned blocks = ladder::grid_stride_blocks(n / kPerThread, kBlock, kBlocksPerMultiprocessor);
  reduce_kernel<Op><<<blocks, kBlock>>>(scratch, in, n);
  reduce_kernel<Op><<<1, kBlock>>>(out, scratch, blocks);
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
