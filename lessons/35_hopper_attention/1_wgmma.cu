// Rung 1: both products by wgmma. Keys and values are read from shared memory as the TMA left them, weights
// from the registers in which the scores were.
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "hopper_attention.h"
#include "rows.h"

constexpr int kRows = 64;              // queries of a block: a product's rows
constexpr int kThreads = 128;          // a warpgroup
constexpr int kKeys = 128;             // that it takes at a time
constexpr int kHalf = 64;              // columns of a box: a tile is two boxes, one behind the other
constexpr float kLog2e = 1.44269504f;  // exp(x) = 2^(x * log2 e)

/// Tiles first: they begin at multiples of 1024 bytes, as the swizzle wants it.
struct Shared {
  __nv_bfloat16 q[kRows * kDim], k[kKeys * kDim], v[kKeys * kDim];
  std::uint64_t full_k, full_v;  // the keys are there, the first time with the queries; the values are there
};

/// Begins to bring kTileRows rows of a matrix: the box of their first 64 columns, and behind it that of the
/// others.
template <int kTileRows>
__device__ void fetch(__nv_bfloat16* tile, const CUtensorMap& map, int row, std::uint64_t* full) {
  tma_load_2d(tile, map, 0, row, full);
  tma_load_2d(tile + kTileRows * kHalf, map, kHalf, row, full);
}

/// score = Q * K^T, for 64 queries and kKeys keys. Under way behind the call.
__device__ void multiply_keys(float (&score)[kKeys / 2], const __nv_bfloat16* q, const __nv_bfloat16* k) {
  // TODO(1): wgmma_m64n128k16() for each 16 columns of kDim, of which the first overwrites the scores. Four
  //          of them are a box: where does the next one begin, in each of the tiles (4 lines)?
}

/// result += weights * V, for 64 queries and kKeys keys. Under way behind the call.
__device__ void multiply_values(float (&result)[kDim / 2], const unsigned (&weight)[kKeys / 4],
                                const __nv_bfloat16* v) {
  // TODO(2): wgmma_m64n128k16_registers() for each 16 keys: four of a thread's weights, and 16 rows of both
  //          of v's boxes. How far is it from the one box to the other, in bytes, and from 16 rows to the
  //          next, in the descriptor's units of 16 bytes (5 lines)?
}

/// Hides keys of a tile that begins with key0: those from `seen` on.
__device__ void hide(float (&score)[kKeys / 2], int key0, int seen) {
  // TODO(3): which key is score[i] of? common/wgmma.h says which column sum[i] is (3 lines).
}

__global__ void __launch_bounds__(kThreads)
    attention_kernel(__nv_bfloat16* o, const __grid_constant__ CUtensorMap map_q,
                     const __grid_constant__ CUtensorMap map_k, const __grid_constant__ CUtensorMap map_v,
                     int shared_by, int queries, int keys, float scale) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles = (queries + kRows - 1) / kRows;
  const int head = blockIdx.x / tiles, row0 = blockIdx.x % tiles * kRows;
  const int key_row = head / shared_by * keys;  // where the head's keys begin, among all heads'
  const int thread = threadIdx.x;
  if (thread == 0) {
    mbarrier_init(&shared.full_k, 1);
    mbarrier_init(&shared.full_v, 1);
    fence_mbarrier_init();
  }
  __syncthreads();

  Rows rows;
  float score[kKeys / 2], result[kDim / 2] = {}, shrink[2];
  unsigned weight[kKeys / 4];
  int parity = 0;  // of the phases that this tile's copies belong to
  for (int key0 = 0; key0 < keys; key0 += kKeys) {
    if (thread == 0) {
      const bool first = key0 == 0;
      mbarrier_arrive_expect_tx(&shared.full_k, sizeof shared.k + (first ? sizeof shared.q : 0));
      if (first) fetch<kRows>(shared.q, map_q, head * queries + row0, &shared.full_k);
      fetch<kKeys>(shared.k, map_k, key_row + key0, &shared.full_k);
      mbarrier_arrive_expect_tx(&shared.full_v, sizeof shared.v);
      fetch<kKeys>(shared.v, map_v, key_row + key0, &shared.full_v);
    }
    // TODO(4): wait for the keys; the first product, and wait for it; hide() behind the last key; soften(),
    //          which makes weights of the scores; rescale(), pack() the weights in pairs; wait for the
    //          values; the second product, and wait for it. A fence is before each product, and settle()
    //          behind each wait for one (16 lines).
    parity ^= 1;
    __syncthreads();  // all have read the tiles before anybody copies to them
  }
  store_rows(o + static_cast<std::size_t>(head) * queries * kDim, result, rows, row0, queries);
}

cudaError_t attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                      const __nv_bfloat16* v, int heads, int kv_heads, int queries, int keys) {
  if (heads == 0 || queries == 0) return cudaSuccess;
  // No tensor map has 0 rows.
  if (keys == 0) return cudaMemsetAsync(o, 0, sizeof(__nv_bfloat16) * heads * queries * kDim);
  // All heads' rows are one matrix. A box that goes beyond a head's end brings rows of the next one: finite
  // numbers, whose keys are hidden and whose values have the weight 0.
  CUtensorMap map_q, map_k, map_v;
  cudaError_t error = make_tensor_map(&map_q, q, heads * queries, kDim, kRows);
  if (error == cudaSuccess) error = make_tensor_map(&map_k, k, kv_heads * keys, kDim, kKeys);
  if (error == cudaSuccess) error = make_tensor_map(&map_v, v, kv_heads * keys, kDim, kKeys);
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  if (error == cudaSuccess)
    error =
        cudaFuncSetAttribute(attention_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  if (error != cudaSuccess) return error;
  const int tiles = (queries + kRows - 1) / kRows;
  const float scale = kLog2e / sqrtf(static_cast<float>(kDim));
  attention_kernel<<<tiles * heads, kThreads, sizeof(Shared)>>>(o, map_q, map_k, map_v, heads / kv_heads,
                                                                queries, keys, scale);
  return cudaGetLastError();
}
