// Rung 4: causal attention. A tile of keys that no query of the block sees is left out; one that all of them
// see needs no mask.
#include <cstddef>

#include "flash_attention.h"
#include "instructions.h"

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr int kQueries = 128;                       // that a block covers: 32 a warp,
constexpr int kFragments = kQueries / kWarps / 16;  // as two fragments: what is loaded of k and v serves both
constexpr int kKeys = 64;                           // that it takes at a time
constexpr int kVectors = kDim / 8;                  // of 16 bytes, in a row
constexpr int kSharedBytes = (kQueries + 2 * kKeys) * kDim * static_cast<int>(sizeof(__nv_bfloat16));
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
constexpr float kLog2e = 1.44269504f;       // exp(x) = 2^(x * log2 e)

/// Where 16-byte vector `vec` of row `row` of a tile is stored. Rows fill the 32 banks; of eight rows below
/// each other, no two may have the same vector in the same banks.
__device__ int place(int row, int vec) { return row * kVectors + (vec ^ row % 8); }

/// Brings kRows rows of a matrix to a tile, all threads of the block together; rows behind the matrix's end
/// become 0.
template <int kRows>
__device__ void fetch(uint4* tile, const __nv_bfloat16* matrix, int row0, int rows) {
  constexpr int kRowsAtOnce = kThreads / kVectors;
  const int row = threadIdx.x / kVectors, vec = threadIdx.x % kVectors;
  const auto* const from = reinterpret_cast<const uint4*>(matrix) + vec;
#pragma unroll
  for (int down = row; down < kRows + row; down += kRowsAtOnce)
    tile[place(down, vec)] =
        row0 + down < rows ? from[static_cast<std::size_t>(row0 + down) * kVectors] : uint4{};
}

/// What a lane has of 16 queries: rows lane / 4 and lane / 4 + 8. Largest score and sum so far are of the
/// row; the sum is of the columns that this lane has, one of four that share the row.
struct Rows {
  float result[kDim / 8][4] = {};  // layout of multiply_add's sums, 16 x 8 each
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
};

/// One step of online softmax: scores become weights, and what a lane has of its two rows is brought to their
/// largest score so far.
/// @param scale  of scores, as exponents of 2
__device__ void soften(float (&score)[kKeys / 8][4], Rows& rows, float scale) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {  // score[n][2 * r] and the next are this row's
    float larger = rows.most[r];
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) larger = fmaxf(larger, fmaxf(score[n][2 * r], score[n][2 * r + 1]));
    larger = fmaxf(larger, __shfl_xor_sync(kAllLanes, larger, 1));
    larger = fmaxf(larger, __shfl_xor_sync(kAllLanes, larger, 2));
    float base = larger * scale;
    // TODO(1): a row that has seen no key yet has no largest score, and -infinity - -infinity is a NaN. With
    //          what base are all of its weights 0 (1 line)?
    // BEGIN SOLUTION
    if (larger == -INFINITY) base = 0;
    // END SOLUTION
    const float shrink = power_of_two(rows.most[r] * scale - base);  // 0 where none was seen before
    rows.most[r] = larger;
    rows.sum[r] *= shrink;
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
      for (int e = 2 * r; e < 2 * r + 2; ++e) {
        score[n][e] = power_of_two(score[n][e] * scale - base);
        rows.sum[r] += score[n][e];
      }
#pragma unroll
    for (int n = 0; n < kDim / 8; ++n) {
      rows.result[n][2 * r] *= shrink;
      rows.result[n][2 * r + 1] *= shrink;
    }
  }
}

__global__ void __launch_bounds__(kThreads, 2)
    attention_kernel(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                     int heads, int queries, int keys, float scale) {
  extern __shared__ uint4 shared[];
  uint4 *const q_tile = shared, *const k_tile = q_tile + kQueries * kVectors;
  uint4* const v_tile = k_tile + kKeys * kVectors;
  // Blocks start in the order of their numbers. Those whose queries see the most keys come first, of all
  // heads: with short ones at the end, multiprocessors are done at about the same time.
  const int tiles = (queries + kQueries - 1) / kQueries;
  int head = 0, row0 = 0;
  // TODO(2): heads change from block to block; after all of them the tile of queries above the last one comes
  //          (2 lines).
  // BEGIN SOLUTION
  head = blockIdx.x % heads;
  row0 = (tiles - 1 - blockIdx.x / heads) * kQueries;
  // END SOLUTION
  const int lane = threadIdx.x % 32;
  const int top = threadIdx.x / 32 * kFragments * 16;  // the warp's first row of q_tile
  q += static_cast<std::size_t>(head) * queries * kDim;
  o += static_cast<std::size_t>(head) * queries * kDim;
  k += static_cast<std::size_t>(head) * keys * kDim;
  v += static_cast<std::size_t>(head) * keys * kDim;
  fetch<kQueries>(q_tile, q, row0, queries);

  const int ahead = keys - queries;  // query i is at place i + ahead, and sees the keys up to there
  int seen = keys;
  // TODO(3): how many keys the block's last query sees (1 line).
  // BEGIN SOLUTION
  seen = min(keys, row0 + kQueries + ahead);
  // END SOLUTION
  Rows rows[kFragments];
  for (int key0 = 0; key0 < seen; key0 += kKeys) {
    fetch<kKeys>(k_tile, k, key0, keys);
    fetch<kKeys>(v_tile, v, key0, keys);
    __syncthreads();  // the tiles are there before anybody loads from them

    float score[kFragments][kKeys / 8][4] = {};
#pragma unroll
    for (int d = 0; d < kVectors; d += 2) {  // 16 elements of the rows at a time
      unsigned a[kFragments][4], b[4];
#pragma unroll
      for (int i = 0; i < kFragments; ++i)
        load_matrices(a[i], &q_tile[place(top + i * 16 + lane % 16, d + lane / 16)]);
#pragma unroll
      for (int n = 0; n < kKeys / 16; ++n) {
        load_matrices(b, &k_tile[place(n * 16 + lane / 16 * 8 + lane % 8, d + lane / 8 % 2)]);
#pragma unroll
        for (int i = 0; i < kFragments; ++i) {
          multiply_add(score[i][2 * n], a[i], b[0], b[1]);
          multiply_add(score[i][2 * n + 1], a[i], b[2], b[3]);
        }
      }
    }
    // TODO(4): where the tile's last key is behind the place of the warp's first query, scores of keys that
    //          are behind their query's place become -INFINITY. What lies behind the last key needs no mask
    //          of its own: why (11 lines)?
    // BEGIN SOLUTION
    if (key0 + kKeys - 1 > row0 + top + ahead) {
#pragma unroll
      for (int i = 0; i < kFragments; ++i)
#pragma unroll
        for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int row = row0 + top + i * 16 + lane / 4 + e / 2 * 8;
            if (key0 + n * 8 + lane % 4 * 2 + e % 2 > row + ahead) score[i][n][e] = -INFINITY;
          }
    }
    // END SOLUTION
#pragma unroll
    for (int i = 0; i < kFragments; ++i) soften(score[i], rows[i], scale);
#pragma unroll
    for (int n = 0; n < kKeys / 16; ++n) {  // 16 keys at a time
      unsigned a[kFragments][4], b[4];
#pragma unroll
      for (int i = 0; i < kFragments; ++i)
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          const float(&weight)[4] = score[i][2 * n + part / 2];
          a[i][part] = pack(weight[part % 2 * 2], weight[part % 2 * 2 + 1]);
        }
#pragma unroll
      for (int d = 0; d < kVectors; d += 2) {
        load_transposed(b, &v_tile[place(n * 16 + lane % 16, d + lane / 16)]);
#pragma unroll
        for (int i = 0; i < kFragments; ++i) {
          multiply_add(rows[i].result[d], a[i], b[0], b[1]);
          multiply_add(rows[i].result[d + 1], a[i], b[2], b[3]);
        }
      }
    }
    __syncthreads();  // all have loaded from the tiles before anybody overwrites them
  }

#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = row0 + top + i * 16 + lane / 4 + r * 8;
      float sum = rows[i].sum[r];
      sum += __shfl_xor_sync(kAllLanes, sum, 1);
      sum += __shfl_xor_sync(kAllLanes, sum, 2);
      const float factor = sum > 0 ? 1 / sum : 0;
      auto* const to = reinterpret_cast<unsigned*>(o + static_cast<std::size_t>(row) * kDim);
#pragma unroll
      for (int n = 0; n < kDim / 8; ++n)
        if (row < queries)
          to[n * 4 + lane % 4] =
              pack(rows[i].result[n][2 * r] * factor, rows[i].result[n][2 * r + 1] * factor);
    }
}

cudaError_t causal_attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                             const __nv_bfloat16* v, int heads, int queries, int keys) {
  if (heads == 0 || queries == 0) return cudaSuccess;
  const unsigned tiles = (queries + kQueries - 1) / kQueries;
  const float scale = kLog2e / sqrtf(static_cast<float>(kDim));
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  const cudaError_t error =
      cudaFuncSetAttribute(attention_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error != cudaSuccess) return error;
  attention_kernel<<<tiles * heads, kThreads, kSharedBytes>>>(o, q, k, v, heads, queries, keys, scale);
  return cudaGetLastError();
}
