// Rung 3: both products on Tensor Cores. The scores' layout in registers is what the second product wants of
// its first factor: weights go from one to the other and through no memory.
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
    // TODO(2): rung 2's. `larger` is of rows.most[r] and of all scores of the row: this lane's, and those of
    //          the three lanes whose numbers differ in the lowest two bits. power_of_two(score * scale -
    //          base), where base is larger * scale, is one multiply-add and one instruction (21 lines).
  }
}

__global__ void __launch_bounds__(kThreads, 2)
    attention_kernel(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                     int queries, int keys, float scale) {
  extern __shared__ uint4 shared[];
  uint4 *const q_tile = shared, *const k_tile = q_tile + kQueries * kVectors;
  uint4* const v_tile = k_tile + kKeys * kVectors;
  const std::size_t head = blockIdx.y;
  const int row0 = blockIdx.x * kQueries;
  const int lane = threadIdx.x % 32;
  const int top = threadIdx.x / 32 * kFragments * 16;  // the warp's first row of q_tile
  q += head * queries * kDim;
  o += head * queries * kDim;
  k += head * keys * kDim;
  v += head * keys * kDim;
  fetch<kQueries>(q_tile, q, row0, queries);

  Rows rows[kFragments];
  for (int key0 = 0; key0 < keys; key0 += kKeys) {
    fetch<kKeys>(k_tile, k, key0, keys);
    fetch<kKeys>(v_tile, v, key0, keys);
    __syncthreads();  // the tiles are there before anybody loads from them

    float score[kFragments][kKeys / 8][4] = {};
#pragma unroll
    for (int d = 0; d < kVectors; d += 2) {  // 16 elements of the rows at a time
      unsigned a[kFragments][4], b[4];
      // TODO(1): the fragments of q: load_matrices() of rows top + 16 * i, ... A lane gives row lane % 16,
      //          vector lane / 16. Rows of k are columns of the second factor, so they are loaded as they
      //          lie: 16 keys at a time, where lanes 0 to 7 and 8 to 15 give the same eight keys, and their
      //          vectors d and d + 1. Two products for each fragment (12 lines).
    }
    if (key0 + kKeys > keys) {  // behind the last key there are zeros, whose scores are 0
#pragma unroll
      for (int i = 0; i < kFragments; ++i)
#pragma unroll
        for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
          for (int e = 0; e < 4; ++e)
            if (key0 + n * 8 + lane % 4 * 2 + e % 2 >= keys) score[i][n][e] = -INFINITY;
    }
#pragma unroll
    for (int i = 0; i < kFragments; ++i) soften(score[i], rows[i], scale);
#pragma unroll
    for (int n = 0; n < kKeys / 16; ++n) {  // 16 keys at a time
      unsigned a[kFragments][4], b[4];
      // TODO(3): weights 2 * n are the left eight columns of the first factor's fragment, weights 2 * n + 1
      //          the right eight: pack() two neighbours. Values are the second factor as it is:
      //          load_transposed(), where a lane gives key lane % 16, vector lane / 16. Two products for each
      //          fragment and pair of vectors (16 lines).
    }
    __syncthreads();  // all have loaded from the tiles before anybody overwrites them
  }

#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = row0 + top + i * 16 + lane / 4 + r * 8;
      // TODO(4): the row's sum is that of four lanes' parts. Then the row's pairs of results, divided by it
      //          and packed, go to o, if there is such a row; all 0, if there was no key (10 lines).
    }
}

cudaError_t attention(__nv_bfloat16* o, float* /*scratch*/, const __nv_bfloat16* q, const __nv_bfloat16* k,
                      const __nv_bfloat16* v, int heads, int queries, int keys) {
  if (heads == 0 || queries == 0) return cudaSuccess;
  const unsigned tiles = (queries + kQueries - 1) / kQueries, all_heads = heads;
  const float scale = kLog2e / sqrtf(static_cast<float>(kDim));
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  const cudaError_t error =
      cudaFuncSetAttribute(attention_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error != cudaSuccess) return error;
  attention_kernel<<<dim3(tiles, all_heads), kThreads, kSharedBytes>>>(o, q, k, v, queries, keys, scale);
  return cudaGetLastError();
}
