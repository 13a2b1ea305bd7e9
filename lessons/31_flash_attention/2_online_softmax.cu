// Rung 2: one pass by tiles of keys. Each row keeps its largest score, its sum and its result so far, and
// rescales both when a larger score comes.
#include <cstddef>

#include "flash_attention.h"

constexpr int kQueries = 64;                // rows of q that a block covers
constexpr int kKeys = 32;                   // rows of k and v that it takes at a time
constexpr int kSide = 16;                   // the block is 16 x 16 threads
constexpr int kThreads = kSide * kSide;     // 256
constexpr int kRows = kQueries / kSide;     // 4: a thread's scores and results are of so many rows,
constexpr int kScores = kKeys / kSide;      // 2: so many keys,
constexpr int kPairs = kDim / 2;            // 64: of bf16, in a row
constexpr int kEach = kPairs / kSide;       // 4: and so many pairs of the result
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// Brings kRows rows of a matrix to a tile; rows behind the matrix's end become 0.
/// @param width  of the tile: pairs from a row to the next
template <int kTileRows, int width>
__device__ void fetch(__nv_bfloat162 (&tile)[kTileRows][width], const __nv_bfloat16* matrix, int row0,
                      int rows) {
  const auto* const from = reinterpret_cast<const __nv_bfloat162*>(matrix);
  for (int i = threadIdx.x; i < kTileRows * kPairs; i += kThreads) {
    const int row = i / kPairs, pair = i % kPairs;
    tile[row][pair] = row0 + row < rows ? from[static_cast<std::size_t>(row0 + row) * kPairs + pair]
                                        : __floats2bfloat162_rn(0, 0);
  }
}

__global__ void __launch_bounds__(kThreads)
    attention_kernel(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                     int queries, int keys, float scale) {
  // Sixteen keys' pairs are read at a time, from rows below each other: one pair behind each row shifts the
  // next one to another bank.
  __shared__ __nv_bfloat162 q_tile[kQueries][kPairs + 1], k_tile[kKeys][kPairs + 1], v_tile[kKeys][kPairs];
  __shared__ float weights[kQueries][kKeys + 1];
  const std::size_t head = blockIdx.y;
  const int row0 = blockIdx.x * kQueries;
  q += head * queries * kDim;
  o += head * queries * kDim;
  k += head * keys * kDim;
  v += head * keys * kDim;
  // Rows top, top + 1, ... of the tile are this thread's, and of the 15 others of its half of a warp.
  const int x = threadIdx.x % kSide, top = threadIdx.x / kSide * kRows;
  fetch(q_tile, q, row0, queries);

  float result[kRows][kEach][2] = {}, most[kRows], sum[kRows] = {};
#pragma unroll
  for (int i = 0; i < kRows; ++i) most[i] = -INFINITY;
  for (int key0 = 0; key0 < keys; key0 += kKeys) {
    fetch(k_tile, k, key0, keys);
    fetch(v_tile, v, key0, keys);
    __syncthreads();  // the tiles are there before anybody reads them

    float score[kRows][kScores] = {};  // of keys x and x + kSide of the tile
    // TODO(1): for each pair of a row: the pairs of kRows rows of q and of kScores rows of k as float2
    //          (__bfloat1622float2), and two products for each score (12 lines).
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      // TODO(2): `larger` is the largest of most[i] and of the row's scores in this tile, which 16 lanes
      //          hold; keys behind the last have none. Weights exp(scale * (score - larger)) go to
      //          weights[row][key]; this thread's are added to its part of the sum. What was summed up so
      //          far, in sum[i] and result[i], was relative to most[i]: bring it to `larger` (23 lines).
    }
    __syncwarp();  // a row's weights are written and read by the lanes of one warp
    // TODO(3): for each key of the tile: kRows weights, and the pairs x, x + kSide, ... of the key's row of
    //          v; two products for each pair of a row's result (15 lines).
    __syncthreads();  // all have read the tiles before anybody overwrites them
  }

#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    // TODO(4): the whole sum of a row is that of 16 lanes' parts. Divide by it what o has of this row; where
    //          there was no key, all is 0 (9 lines).
  }
}

cudaError_t attention(__nv_bfloat16* o, float* /*scratch*/, const __nv_bfloat16* q, const __nv_bfloat16* k,
                      const __nv_bfloat16* v, int heads, int queries, int keys) {
  if (heads == 0 || queries == 0) return cudaSuccess;
  const unsigned tiles = (queries + kQueries - 1) / kQueries, all_heads = heads;
  const float scale = 1 / sqrtf(static_cast<float>(kDim));
  attention_kernel<<<dim3(tiles, all_heads), kThreads>>>(o, q, k, v, queries, keys, scale);
  return cudaGetLastError();
}
