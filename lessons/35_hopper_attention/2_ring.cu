// Rung 2: a warp that copies and two warpgroups that multiply: while one of them computes its softmax, the
// other's products keep the Tensor Cores at work.
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "hopper_attention.h"
#include "rows.h"
#include "tiles.h"

constexpr int kGroups = 2;                     // warpgroups that multiply, with kRows queries each,
constexpr int kThreads = (1 + kGroups) * 128;  // and one that copies: registers are shifted by warpgroups
constexpr int kQueries = kGroups * kRows;      // of a block
constexpr int kStages = 4;                     // tiles, of keys or of values, that are there or on the way

/// The ring. Tiles first: they begin at multiples of 1024 bytes, as the swizzle wants it.
struct Shared {
  __nv_bfloat16 q[kGroups][kRows * kDim], tile[kStages][kKeys * kDim];
  std::uint64_t queries;         // the queries are there
  std::uint64_t full[kStages];   // the stage's tile is there
  std::uint64_t empty[kStages];  // and has been read
};

/// A place in the ring. Each time round, the stages' mbarriers are in the next phase.
struct Place {
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

__global__ void __launch_bounds__(kThreads, 1)
    attention_kernel(__nv_bfloat16* o, const __grid_constant__ CUtensorMap map_q,
                     const __grid_constant__ CUtensorMap map_k, const __grid_constant__ CUtensorMap map_v,
                     int shared_by, int queries, int keys, float scale) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles = (queries + kQueries - 1) / kQueries;
  const int head = blockIdx.x / tiles, row0 = blockIdx.x % tiles * kQueries;
  const int key_row = head / shared_by * keys;  // where the head's keys begin, among all heads'
  const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;  // group -1 is the producer
  if (threadIdx.x == 0) {
    mbarrier_init(&shared.queries, 1);
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kGroups);
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  Place place;
  if (group < 0) {
    registers_decrease<24>();  // of 168: it leaves the others what they need for sums and weights
    if (thread == 0) {
      mbarrier_arrive_expect_tx(&shared.queries, sizeof shared.q);
      for (int i = 0; i < kGroups; ++i)
        fetch<kRows>(shared.q[i], map_q, head * queries + row0 + i * kRows, &shared.queries);
      // TODO(1): for each tile of keys, the keys and then the values, each to the next place in the ring:
      //          wait until it is empty, announce the bytes, fetch(), advance() (10 lines).
    }
    return;
  }

  registers_increase<240>();
  Rows rows;
  float score[kKeys / 2], result[kDim / 2] = {}, shrink[2];
  unsigned weight[kKeys / 4];
  // TODO(2): wait for the queries. Then rung 1's step, with tiles from the ring: wait until a tile is
  //          there, and as soon as it has been read let one thread of the group report its stage empty.
  //          hide() takes a bound for each of the thread's two rows (27 lines).
  store_rows(o + static_cast<std::size_t>(head) * queries * kDim, result, rows, row0 + group * kRows,
             queries);
}

cudaError_t attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                      const __nv_bfloat16* v, int heads, int kv_heads, int queries, int keys) {
  if (heads == 0 || queries == 0) return cudaSuccess;
  // No tensor map has 0 rows.
  if (keys == 0) return cudaMemsetAsync(o, 0, sizeof(__nv_bfloat16) * heads * queries * kDim);
  CUtensorMap map_q, map_k, map_v;
  cudaError_t error = make_tensor_map(&map_q, q, heads * queries, kDim, kRows);
  if (error == cudaSuccess) error = make_tensor_map(&map_k, k, kv_heads * keys, kDim, kKeys);
  if (error == cudaSuccess) error = make_tensor_map(&map_v, v, kv_heads * keys, kDim, kKeys);
  if (error == cudaSuccess)
    error =
        cudaFuncSetAttribute(attention_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  if (error != cudaSuccess) return error;
  const int tiles = (queries + kQueries - 1) / kQueries;
  const float scale = kLog2e / sqrtf(static_cast<float>(kDim));
  attention_kernel<<<tiles * heads, kThreads, sizeof(Shared)>>>(o, map_q, map_k, map_v, heads / kv_heads,
                                                                queries, keys, scale);
  return cudaGetLastError();
}
