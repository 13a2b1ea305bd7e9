// Rung 6: causal. Tiles that no query of the block sees are left out, and blocks with much to do start first,
// those of a few heads at a time.
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
                     int heads, int shared_by, int band, int queries, int keys, float scale) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles = (queries + kQueries - 1) / kQueries;
  // Blocks start in the order of their numbers: band by band of heads, and in a band the last queries of all
  // its heads first, for they see the most keys.
  int head = 0, row0 = 0;
  // TODO(1): the head and the first row. The last band may have fewer heads (4 lines).
  // BEGIN SOLUTION
  const int first_head = blockIdx.x / (band * tiles) * band, width = min(band, heads - first_head);
  const int in_band = blockIdx.x - first_head * tiles;
  head = first_head + in_band % width;
  row0 = (tiles - 1 - in_band / width) * kQueries;
  // END SOLUTION
  const int ahead = keys - queries;  // query i is at place i + ahead, and sees the keys up to there
  int seen = 0;
  // TODO(2): how many keys does the block's last query see? There may be no such query, and no such key (1
  //          line).
  // BEGIN SOLUTION
  seen = max(0, min(keys, row0 + kQueries + ahead));
  // END SOLUTION
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
    registers_decrease<24>();
    if (thread == 0) {
      mbarrier_arrive_expect_tx(&shared.queries, sizeof shared.q);
      for (int i = 0; i < kGroups; ++i)
        fetch<kRows>(shared.q[i], map_q, head * queries + row0 + i * kRows, &shared.queries);
      const auto bring = [&](const CUtensorMap& map, int key0) {
        std::uint64_t* const full = &shared.full[place.stage];
        mbarrier_wait(&shared.empty[place.stage], place.parity ^ 1);
        mbarrier_arrive_expect_tx(full, sizeof shared.tile[0]);
        fetch<kKeys>(shared.tile[place.stage], map, key_row + key0, full);
        place.advance();
      };
      const int count = (seen + kKeys - 1) / kKeys;
      for (int i = 0; i <= count; ++i) {  // keys are one tile ahead of the values
        if (i < count) bring(map_k, i * kKeys);
        if (i > 0) bring(map_v, (i - 1) * kKeys);
      }
    }
    return;
  }

  registers_increase<240>();
  Rows rows;
  float score[kKeys / 2], result[kDim / 2] = {}, shrink[2];
  unsigned weight[kKeys / 4];
  const auto arrived = [&] { mbarrier_wait(&shared.full[place.stage], place.parity); };
  const auto release = [&](int stage) {  // this group has read the stage
    if (thread == 0) mbarrier_arrive(&shared.empty[stage]);
  };
  // Hides what the thread's rows do not see, where the group sees less than all of the tile.
  const auto mask = [&](int key0) {
    // TODO(3): row lane / 4 of the warp's 16 sees one key more than its place; the other one eight more (5
    //          lines).
    // BEGIN SOLUTION
    const int first = row0 + group * kRows + ahead + 1;  // keys that the group's first row sees
    if (key0 + kKeys <= first) return;
    const int seen_by = first + thread / 32 * 16 + thread % 32 / 4;
    hide(score, key0, {seen_by, seen_by + 8});
    // END SOLUTION
  };
  mbarrier_wait(&shared.queries, 0);  // also where no key is seen: nobody leaves before its copies have come
  if (seen > 0) {
    arrived();
    wgmma_fence();
    multiply_keys(score, shared.q[group], shared.tile[place.stage]);
    wgmma_commit_group();
    wgmma_wait_group<0>();
    settle(score);
    release(place.stage);
    place.advance();
    mask(0);
    soften(score, rows, scale, shrink);
    to_weights(weight, score);
    for (int key0 = kKeys; key0 < seen; key0 += kKeys) {
      const int next_keys = place.stage;
      arrived();
      wgmma_fence();
      multiply_keys(score, shared.q[group], shared.tile[place.stage]);
      wgmma_commit_group();
      place.advance();
      const int values = place.stage;
      arrived();
      wgmma_fence();
      multiply_values(result, weight, shared.tile[place.stage]);
      wgmma_commit_group();
      place.advance();
      wgmma_wait_group<1>();  // the scores are there, and the products with the values go on
      settle(score);
      release(next_keys);
      mask(key0);
      soften(score, rows, scale, shrink);
      wgmma_wait_group<0>();
      settle(result);
      release(values);
      rescale(result, shrink);
      to_weights(weight, score);
    }
    arrived();
    wgmma_fence();
    multiply_values(result, weight, shared.tile[place.stage]);
    wgmma_commit_group();
    wgmma_wait_group<0>();
    settle(result);
  }
  store_rows(o + static_cast<std::size_t>(head) * queries * kDim, result, rows, row0 + group * kRows,
             queries);
}

cudaError_t causal_attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
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
  // So many heads at a time that their keys and values stay in the L2, with room for what else passes.
  constexpr int kBytesTogether = 16 << 20;
  const std::size_t head_bytes = 2 * sizeof(__nv_bfloat16) * keys * kDim;
  const int shared_by = heads / kv_heads;
  const std::size_t fit = kBytesTogether / head_bytes, together = (fit > 1 ? fit : 1) * shared_by;
  const int band = together < static_cast<std::size_t>(heads) ? static_cast<int>(together) : heads;
  const float scale = kLog2e / sqrtf(static_cast<float>(kDim));
  attention_kernel<<<tiles * heads, kThreads, sizeof(Shared)>>>(o, map_q, map_k, map_v, heads, shared_by,
                                                                band, queries, keys, scale);
  return cudaGetLastError();
}
