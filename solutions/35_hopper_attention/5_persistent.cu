// Rung 5: a block a multiprocessor, and each works off a list: the first tiles of the next queries come in
// while the results of these are stored.
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
  std::uint64_t queries_read;    // and have been read
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
                     int heads, int shared_by, int queries, int keys, float scale) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles = (queries + kQueries - 1) / kQueries, tasks = tiles * heads;
  const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;  // group -1 is the producer
  if (threadIdx.x == 0) {
    mbarrier_init(&shared.queries, 1);
    // TODO(1): for how many arrivals? Each group reports that it has read its queries (1 line).
    // BEGIN SOLUTION
    mbarrier_init(&shared.queries_read, kGroups);
    // END SOLUTION
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kGroups);
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  Place place;
  int parity = 0;  // of the phase of `queries` that belongs to this task
  if (group < 0) {
    registers_decrease<24>();
    // TODO(2): one thread brings queries and tiles for the tasks blockIdx.x, blockIdx.x + gridDim.x, ... Task
    //          `task` is head task / tiles, and the queries of its tile task % tiles. The ring goes on from
    //          task to task. Before queries are overwritten, those before them must have been read (21
    //          lines).
    // BEGIN SOLUTION
    if (thread == 0) {
      for (int task = blockIdx.x; task < tasks; task += gridDim.x, parity ^= 1) {
        const int head = task / tiles, row0 = task % tiles * kQueries, key_row = head / shared_by * keys;
        mbarrier_wait(&shared.queries_read, parity ^ 1);
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
        const int count = (keys + kKeys - 1) / kKeys;
        for (int i = 0; i <= count; ++i) {
          if (i < count) bring(map_k, i * kKeys);
          if (i > 0) bring(map_v, (i - 1) * kKeys);
        }
      }
    }
    // END SOLUTION
    return;
  }

  registers_increase<240>();
  const auto arrived = [&] { mbarrier_wait(&shared.full[place.stage], place.parity); };
  const auto release = [&](int stage) {  // this group has read the stage
    if (thread == 0) mbarrier_arrive(&shared.empty[stage]);
  };
  // TODO(3): rung 4's steps for the same tasks. Who has to be told what, before the results are stored (50
  //          lines)?
  // BEGIN SOLUTION
  for (int task = blockIdx.x; task < tasks; task += gridDim.x, parity ^= 1) {
    const int head = task / tiles, row0 = task % tiles * kQueries;
    Rows rows;
    float score[kKeys / 2], result[kDim / 2] = {}, shrink[2];
    unsigned weight[kKeys / 4];
    mbarrier_wait(&shared.queries, parity);
    arrived();
    wgmma_fence();
    multiply_keys(score, shared.q[group], shared.tile[place.stage]);
    wgmma_commit_group();
    wgmma_wait_group<0>();
    settle(score);
    release(place.stage);
    place.advance();
    if (kKeys > keys) hide(score, 0, {keys, keys});
    soften(score, rows, scale, shrink);
    to_weights(weight, score);
    for (int key0 = kKeys; key0 < keys; key0 += kKeys) {
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
      if (key0 + kKeys > keys) hide(score, key0, {keys, keys});
      soften(score, rows, scale, shrink);
      wgmma_wait_group<0>();
      settle(result);
      release(values);
      rescale(result, shrink);
      to_weights(weight, score);
    }
    if (thread == 0) mbarrier_arrive(&shared.queries_read);  // all scores are there
    arrived();
    wgmma_fence();
    multiply_values(result, weight, shared.tile[place.stage]);
    wgmma_commit_group();
    wgmma_wait_group<0>();
    settle(result);
    release(place.stage);  // the last stage, too: it is filled for the next task
    place.advance();
    store_rows(o + static_cast<std::size_t>(head) * queries * kDim, result, rows, row0 + group * kRows,
               queries);
  }
  // END SOLUTION
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
  int device = 0, multiprocessors = 0;
  error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  // TODO(4): a block for each multiprocessor, and no more than there are tasks; then the launch (5 lines).
  // BEGIN SOLUTION
  const int tasks = (queries + kQueries - 1) / kQueries * heads;
  const float scale = kLog2e / sqrtf(static_cast<float>(kDim));
  const int blocks = tasks < multiprocessors ? tasks : multiprocessors;
  attention_kernel<<<blocks, kThreads, sizeof(Shared)>>>(o, map_q, map_k, map_v, heads, heads / kv_heads,
                                                         queries, keys, scale);
  // END SOLUTION
  return cudaGetLastError();
}
