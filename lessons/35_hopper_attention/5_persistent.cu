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
    return;
  }

  registers_increase<240>();
  const auto arrived = [&] { mbarrier_wait(&shared.full[place.stage], place.parity); };
  const auto release = [&](int stage) {  // this group has read the stage
    if (thread == 0) mbarrier_arrive(&shared.empty[stage]);
  };
  // TODO(3): rung 4's steps for the same tasks. Who has to be told what, before the results are stored (50
  //          lines)?
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
  return cudaGetLastError();
}
