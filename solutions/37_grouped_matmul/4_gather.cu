// Rung 4: rows are read where the tokens are. A tensor map knows rows that follow each other, so 128 threads
// bring them, 16 bytes at a time; the weights still come by the TMA, to the same stage.
#include "epilogue.h"
#include "gather.h"
#include "grouped_matmul.h"
#include "persistent.h"
#include "ring.h"

constexpr int kVec = 8;               // bf16 in 16 bytes
constexpr int kLanes = BK / kVec;     // threads that bring a row's 128 bytes of a step
constexpr int kLines = 128 / kLanes;  // rows that are brought side by side
constexpr int kRows = BM / kLines;    // rows of a tile that a thread has a vector of
constexpr int kBehind = 2;            // steps that have been started and not reported

/// Reports stages full, in turn.
struct Reporter {
  Place place;
  int started = 0;  // steps that have not been reported

  /// A thread calls this behind the copies of a step that it has started.
  __device__ void next(Ring& ring) {
    end_group();
    if (++started > kBehind) {
      wait_for_groups<kBehind>();
      report(ring);
    }
  }
  /// Behind the last step of all.
  __device__ void rest(Ring& ring) {
    wait_for_groups<0>();
    while (started > 0) report(ring);
  }
  __device__ void report(Ring& ring) {
    // TODO(1): this thread's vectors of the oldest step have arrived. They came the ordinary way, and wgmma
    //          reads by the asynchronous one (2 lines).
    // BEGIN SOLUTION
    fence_proxy_async();
    mbarrier_arrive(&ring.full[place.stage]);
    // END SOLUTION
    place.advance();
    --started;
  }
};

/// The producer's 128 threads copy the rows and the weights of a tile.
__device__ void gather(Ring& ring, Place& place, Reporter& reporter, const __nv_bfloat16* x, const int* pair,
                       int top_k, const CUtensorMap& map_w, const Tile& tile, int n, int k) {
  const int vec = threadIdx.x % kLanes, line = threadIdx.x / kLanes;
  const __nv_bfloat16* from[kRows];  // this thread's vector of its rows, in step 0
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    // TODO(2): row `line` + i * kLines of the tile is which token's? What lies behind the expert's last row
    //          may be any token, as long as it is one (3 lines).
    // BEGIN SOLUTION
    const int row = min(tile.row + line + i * kLines, tile.end - 1);
    from[i] = x + static_cast<std::int64_t>(pair[row] / top_k) * k + vec * kVec;
    // END SOLUTION
  }
  for (int k0 = 0; k0 < k; k0 += BK) {
    __nv_bfloat16* const rows = ring.x[place.stage];
    std::uint64_t* const full = &ring.full[place.stage];
    mbarrier_wait(&ring.empty[place.stage], place.parity ^ 1);
    if (threadIdx.x == 0) {
      mbarrier_arrive_expect_tx(full, sizeof ring.w[0]);
      tma_load_2d(ring.w[place.stage], map_w, k0, tile.expert * n + tile.col, full);
    }
    // TODO(3): the thread's vector of each of its rows, to where the swizzle has it. Where k ends before the
    //          step does, zeros belong there (8 lines).
    // BEGIN SOLUTION
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int row = line + i * kLines;
      __nv_bfloat16* const to = rows + row * BK + (vec ^ row % 8) * kVec;
      if (k0 + vec * kVec < k)
        copy_vector(to, from[i] + k0);
      else
        *reinterpret_cast<uint4*>(to) = make_uint4(0, 0, 0, 0);
    }
    // END SOLUTION
    reporter.next(ring);
    place.advance();
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    matmul_kernel(__nv_bfloat16* y, const __nv_bfloat16* x, const __grid_constant__ CUtensorMap map_w,
                  const int* start, const int* pair, int top_k, int experts, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Ring& ring = *reinterpret_cast<Ring*>(memory);
  __shared__ List list;
  if (threadIdx.x < kWarp) count_tiles(list, start, experts);
  // TODO(4): who arrives at `full` now (1 line)?
  // BEGIN SOLUTION
  initialise(ring, 1 + 128);  // the thread that announces the weights' bytes, and all that bring rows
  // END SOLUTION
  const int tiles_across = (n + BN - 1) / BN, tiles = list.tiles_before[experts] * tiles_across;
  const int block = blockIdx.x, blocks = gridDim.x;
  Place place;
  if (group_number() < 0) {
    registers_decrease<56>();
    Reporter reporter;
    for (int number = block; number < tiles; number += blocks)
      gather(ring, place, reporter, x, pair, top_k, map_w, tile_of(list, experts, number, tiles_across), n,
             k);
    reporter.rest(ring);
  } else {
    registers_increase<224>();
    float sum[BN / 2];  // the first products overwrite them
    for (int number = block; number < tiles; number += blocks) {
      const Tile tile = tile_of(list, experts, number, tiles_across);
      multiply(ring, place, sum, k);
      store_rows(y, ring, sum, tile, n, [](int row) { return row; });
    }
  }
}

cudaError_t gathered_matmul(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w,
                            const int* start, const int* pair, int experts, int tokens, int top_k, int n,
                            int k) {
  const int rows = tokens * top_k;
  if (rows == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(y, 0, sizeof(__nv_bfloat16) * rows * n);  // no tensor map has 0 columns
  CUtensorMap map_w;
  cudaError_t error = make_tensor_map(&map_w, w, experts * n, k, BN);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Ring));
  int device = 0, multiprocessors = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const int most = (rows + experts * (BM - 1)) / BM * ((n + BN - 1) / BN);
  const int blocks = most < multiprocessors ? most : multiprocessors;
  matmul_kernel<<<blocks, kThreads, sizeof(Ring)>>>(y, x, map_w, start, pair, top_k, experts, n, k);
  return cudaGetLastError();
}
