// Rung 6: heads of 64 or 128 elements, sequences that are not equally long, and groups of query heads that
// share keys and values.
#include <cstddef>

#include "flash_attention.h"
#include "instructions.h"

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr int kQueries = 128;                       // that a block covers: 32 a warp,
constexpr int kFragments = kQueries / kWarps / 16;  // as two fragments: what is loaded of k and v serves both
constexpr int kKeys = 64;                           // that it takes at a time
constexpr unsigned kAllLanes = 0xffffffff;          // a bit for each lane of the warp
constexpr float kLog2e = 1.44269504f;               // exp(x) = 2^(x * log2 e)

/// Where 16-byte vector `vec` of row `row` of a tile is stored. Rows fill the 32 banks, once or twice; of
/// eight rows below each other, no two may have the same vector in the same banks.
/// @tparam kHead  elements of a row
template <int kHead>
__device__ int place(int row, int vec) {
  return row * (kHead / 8) + (vec ^ row % 8);
}

/// Begins to copy kRows rows of a matrix to a tile, all threads of the block together, and ends a group of
/// copies; rows behind the matrix's end become 0.
template <int kHead, int kRows>
__device__ void fetch(uint4* tile, const __nv_bfloat16* matrix, int row0, int rows) {
  constexpr int kVectors = kHead / 8;  // of 16 bytes, in a row
  constexpr int kRowsAtOnce = kThreads / kVectors;
  const int row = threadIdx.x / kVectors, vec = threadIdx.x % kVectors;
  const __nv_bfloat16* const from = matrix + vec * 8;
#pragma unroll
  for (int down = row; down < kRows + row; down += kRowsAtOnce)
    copy_vector(&tile[place<kHead>(down, vec)], from + static_cast<std::size_t>(row0 + down) * kHead,
                row0 + down < rows);
  end_group();
}

/// What a lane has of 16 queries: rows lane / 4 and lane / 4 + 8. Largest score and sum so far are of the
/// row; the sum is of the columns that this lane has, one of four that share the row.
template <int kHead>
struct Rows {
  float result[kHead / 8][4] = {};  // layout of multiply_add's sums, 16 x 8 each
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
};

/// One step of online softmax: scores become weights, and what a lane has of its two rows is brought to their
/// largest score so far.
/// @param scale  of scores, as exponents of 2
template <int kHead>
__device__ void soften(float (&score)[kKeys / 8][4], Rows<kHead>& rows, float scale) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {  // score[n][2 * r] and the next are this row's
    float larger = rows.most[r];
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) larger = fmaxf(larger, fmaxf(score[n][2 * r], score[n][2 * r + 1]));
    larger = fmaxf(larger, __shfl_xor_sync(kAllLanes, larger, 1));
    larger = fmaxf(larger, __shfl_xor_sync(kAllLanes, larger, 2));
    float base = larger * scale;
    if (larger == -INFINITY) base = 0;  // no key was seen yet: all weights are 2^(-infinity - 0)
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
    for (int n = 0; n < kHead / 8; ++n) {
      rows.result[n][2 * r] *= shrink;
      rows.result[n][2 * r + 1] *= shrink;
    }
  }
}

/// What is to be computed, as the contract has it.
struct Shape {
  int batch, heads, kv_heads, queries, keys;
};

template <int kHead, bool kCausal>
__global__ void __launch_bounds__(kThreads, 2)
    attention_kernel(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                     const int* lengths, Shape shape, float scale) {
  constexpr int kVectors = kHead / 8;
  extern __shared__ uint4 shared[];
  uint4 *const q_tile = shared, *const k_tile = q_tile + kQueries * kVectors;
  uint4* const v_tile = k_tile + kKeys * kVectors;
  const int queries = shape.queries, tiles = (queries + kQueries - 1) / kQueries;
  const int all_heads = shape.batch * shape.heads;
  // Causal: blocks whose queries see the most keys come first, of all heads. Otherwise blocks of one head
  // come one after the other, and find its keys in the L2 cache.
  const int head = kCausal ? blockIdx.x % all_heads : blockIdx.x / tiles;  // of all sequences
  const int row0 = (tiles - 1 - (kCausal ? blockIdx.x / all_heads : blockIdx.x % tiles)) * kQueries;
  int keys = shape.keys, kv_head = head;
  // TODO(1): how many keys the head's sequence has; and the head of k and v, among those of all sequences,
  //          that it shares with others (3 lines).
  const int lane = threadIdx.x % 32;
  const int top = threadIdx.x / 32 * kFragments * 16;  // the warp's first row of q_tile
  q += static_cast<std::size_t>(head) * queries * kHead;
  o += static_cast<std::size_t>(head) * queries * kHead;
  k += static_cast<std::size_t>(kv_head) * shape.keys * kHead;
  v += static_cast<std::size_t>(kv_head) * shape.keys * kHead;
  const int ahead = keys - queries;  // query i is at place i + ahead, and sees the keys up to there
  int seen = keys;
  // TODO(2): how many keys the block's last query sees, causal or not (1 line).
  // Where this lane's vectors of the first 16 rows are, of columns 0 and 1. An even d changes other bits of a
  // vector's number than these columns do, so place(row, d + 1) is place(row, 1) ^ d; and 16 rows further
  // down the swizzle is the same.
  const int q_place = place<kHead>(top + lane % 16, lane / 16), v_place = place<kHead>(lane % 16, lane / 16);
  const int k_place = place<kHead>(lane / 16 * 8 + lane % 8, lane / 8 % 2);
  Rows<kHead> rows[kFragments];
  float score[kFragments][kKeys / 8][4];
  const auto multiply_keys = [&] {
#pragma unroll
    for (int i = 0; i < kFragments; ++i)
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) score[i][n][e] = 0;
#pragma unroll
    for (int d = 0; d < kVectors; d += 2) {  // 16 elements of the rows at a time
      unsigned a[kFragments][4], b[4];
#pragma unroll
      for (int i = 0; i < kFragments; ++i) load_matrices(a[i], q_tile + (q_place ^ d) + i * 16 * kVectors);
#pragma unroll
      for (int n = 0; n < kKeys / 16; ++n) {
        load_matrices(b, k_tile + (k_place ^ d) + n * 16 * kVectors);
#pragma unroll
        for (int i = 0; i < kFragments; ++i) {
          multiply_add(score[i][2 * n], a[i], b[0], b[1]);
          multiply_add(score[i][2 * n + 1], a[i], b[2], b[3]);
        }
      }
    }
  };
  const auto hide = [&](int key0) {
    // TODO(3): causal: rung 4's mask. Otherwise, if the tile has keys behind the sequence's end, theirs: they
    //          are zeros in the tile, and their scores are 0 (12 lines).
  };
  const auto multiply_values = [&] {
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
        load_transposed(b, v_tile + (v_place ^ d) + n * 16 * kVectors);
#pragma unroll
        for (int i = 0; i < kFragments; ++i) {
          multiply_add(rows[i].result[d], a[i], b[0], b[1]);
          multiply_add(rows[i].result[d + 1], a[i], b[2], b[3]);
        }
      }
    }
  };

  fetch<kHead, kQueries>(q_tile, q, row0, queries);
  fetch<kHead, kKeys>(k_tile, k, 0, keys);
  for (int key0 = 0; key0 < seen; key0 += kKeys) {
    wait_for_groups();
    __syncthreads();  // the keys are there, and nobody reads the values before these any more
    fetch<kHead, kKeys>(v_tile, v, key0, keys);
    multiply_keys();
    wait_for_groups();
    __syncthreads();  // the values are there, and nobody reads the keys any more
    if (key0 + kKeys < seen) fetch<kHead, kKeys>(k_tile, k, key0 + kKeys, keys);
    hide(key0);
#pragma unroll
    for (int i = 0; i < kFragments; ++i) soften(score[i], rows[i], scale);
    multiply_values();
  }
  wait_for_groups();  // nobody leaves before its copies have arrived, also where no key is seen

#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = row0 + top + i * 16 + lane / 4 + r * 8;
      float sum = rows[i].sum[r];
      sum += __shfl_xor_sync(kAllLanes, sum, 1);
      sum += __shfl_xor_sync(kAllLanes, sum, 2);
      const float factor = sum > 0 ? 1 / sum : 0;
      auto* const to = reinterpret_cast<unsigned*>(o + static_cast<std::size_t>(row) * kHead);
#pragma unroll
      for (int n = 0; n < kHead / 8; ++n)
        if (row < queries)
          to[n * 4 + lane % 4] =
              pack(rows[i].result[n][2 * r] * factor, rows[i].result[n][2 * r + 1] * factor);
    }
}

template <int kHead, bool kCausal>
cudaError_t launch(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                   const int* lengths, const Shape& shape) {
  const auto kernel = attention_kernel<kHead, kCausal>;
  // TODO(4): a block's shared memory holds kQueries + 2 * kKeys rows of kHead bf16. Ask for it, and launch a
  //          block for each tile of queries of each head of each sequence; the scale goes by the head's size
  //          (7 lines).
  return cudaGetLastError();
}

cudaError_t grouped_attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                              const __nv_bfloat16* v, const int* lengths, int batch, int heads, int kv_heads,
                              int queries, int keys, int dim, bool causal) {
  if (batch == 0 || heads == 0 || queries == 0) return cudaSuccess;
  const Shape shape = {batch, heads, kv_heads, queries, keys};
  // TODO(5): one of four kernels (4 lines).
  return cudaErrorInvalidValue;  // the contract has two sizes
}
