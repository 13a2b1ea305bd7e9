// Blank page: attention to a window of the latest keys, with a sink that takes weight from all of them.
#include "blank_page.h"
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "rows.h"
#include "tiles.h"

// TODO(1): windowed_attention(), whose contract is in blank_page.h: the kernel, any functions that you want
//          it to call, and the launch (about 130 lines).
// BEGIN SOLUTION
constexpr int kGroups = 2;
constexpr int kThreads = (1 + kGroups) * 128;
constexpr int kQueries = kGroups * kRows;  // of a block
constexpr int kStages = 4;                 // tiles, of keys or of values

struct Shared {
  __nv_bfloat16 q[kGroups][kRows * kDim], tile[kStages][kKeys * kDim];
  std::uint64_t queries, full[kStages], empty[kStages];
};

struct Place {
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

__global__ void __launch_bounds__(kThreads, 1)
    windowed_kernel(__nv_bfloat16* o, const float* sink, const __grid_constant__ CUtensorMap map_q,
                    const __grid_constant__ CUtensorMap map_k, const __grid_constant__ CUtensorMap map_v,
                    int shared_by, int queries, int keys, int window, float scale) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles = (queries + kQueries - 1) / kQueries;
  const int head = blockIdx.x / tiles, row0 = blockIdx.x % tiles * kQueries;
  const int key_row = head / shared_by * keys, ahead = keys - queries;
  const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;
  // From the first key of the first query's window, whole tiles, to the last query's place. `window` may be
  // as large as an int.
  const int first = max(0, row0 + ahead - min(window, keys) + 1) / kKeys * kKeys;
  const int end = min(keys, row0 + kQueries + ahead);
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
      for (int key0 = first; key0 < end; key0 += kKeys) {
        bring(map_k, key0);
        bring(map_v, key0);
      }
    }
    return;
  }

  registers_increase<240>();
  Rows rows;
  float score[kKeys / 2], result[kDim / 2] = {}, shrink[2];
  unsigned weight[kKeys / 4];
  const int first_place = row0 + group * kRows + ahead;  // of the group's rows
  const int own_place = first_place + thread / 32 * 16 + thread % 32 / 4;
  const auto arrived = [&] { mbarrier_wait(&shared.full[place.stage], place.parity); };
  const auto release = [&] {
    if (thread == 0) mbarrier_arrive(&shared.empty[place.stage]);
    place.advance();
  };
  mbarrier_wait(&shared.queries, 0);
  for (int key0 = first; key0 < end; key0 += kKeys) {
    arrived();
    wgmma_fence();
    multiply_keys(score, shared.q[group], shared.tile[place.stage]);
    wgmma_commit_group();
    wgmma_wait_group<0>();
    settle(score);
    release();
    // All rows see all of the tile between the last one's window and the first one's place.
    if (key0 + kKeys - 1 > first_place || first_place + kRows - 1 - key0 >= window) {
#pragma unroll
      for (int i = 0; i < kKeys / 2; ++i) {
        const int behind = own_place + i / 2 % 2 * 8 - (key0 + i / 4 * 8 + thread % 4 * 2 + i % 2);
        if (behind < 0 || behind >= window) score[i] = -INFINITY;
      }
    }
    soften(score, rows, scale, shrink);
    rescale(result, shrink);
    to_weights(weight, score);
    arrived();
    wgmma_fence();
    multiply_values(result, weight, shared.tile[place.stage]);
    wgmma_commit_group();
    wgmma_wait_group<0>();
    settle(result);
    release();
  }
  // The sink is one more weight of the row, and one of the four lanes that share the row counts it. It is
  // infinite where it is so much larger than all scores that nothing is left for them.
#pragma unroll
  for (int r = 0; r < 2; ++r)
    if (thread % 4 == 0 && rows.most[r] > -INFINITY)
      rows.sum[r] += power_of_two(sink[head] * kLog2e - rows.most[r] * scale);
  store_rows(o + static_cast<std::size_t>(head) * queries * kDim, result, rows, row0 + group * kRows,
             queries);
}

cudaError_t windowed_attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                               const __nv_bfloat16* v, const float* sink, int heads, int kv_heads,
                               int queries, int keys, int window) {
  if (heads == 0 || queries == 0) return cudaSuccess;
  if (keys == 0) return cudaMemsetAsync(o, 0, sizeof(__nv_bfloat16) * heads * queries * kDim);
  CUtensorMap map_q, map_k, map_v;
  cudaError_t error = make_tensor_map(&map_q, q, heads * queries, kDim, kRows);
  if (error == cudaSuccess) error = make_tensor_map(&map_k, k, kv_heads * keys, kDim, kKeys);
  if (error == cudaSuccess) error = make_tensor_map(&map_v, v, kv_heads * keys, kDim, kKeys);
  if (error == cudaSuccess)
    error =
        cudaFuncSetAttribute(windowed_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  if (error != cudaSuccess) return error;
  const int tiles = (queries + kQueries - 1) / kQueries;
  const float scale = kLog2e / sqrtf(static_cast<float>(kDim));
  windowed_kernel<<<tiles * heads, kThreads, sizeof(Shared)>>>(o, sink, map_q, map_k, map_v, heads / kv_heads,
                                                               queries, keys, window, scale);
  return cudaGetLastError();
}
// END SOLUTION
