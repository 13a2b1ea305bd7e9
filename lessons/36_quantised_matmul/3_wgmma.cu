// Rung 3: lesson 27's last kernel for bytes: the same tiles in the same shared memory hold twice the columns,
// and a warpgroup multiplies twice as many an instruction. The scales wait for the epilogue.
#include "common/tma.h"
#include "epilogue.h"
#include "quantised_matmul.h"
#include "warpgroup.h"

constexpr int BM = 128, BN = 256;              // of c, that a block covers
constexpr int BK = 128;                        // and takes k in steps of 128 bytes
constexpr int kCluster = 2;                    // blocks below each other
constexpr int kShare = BN / kCluster;          // rows of b's tile that a block brings, to all
constexpr int kGroups = BM / 64;               // warpgroups that multiply, each 64 x 256
constexpr int kThreads = (1 + kGroups) * 128;  // and one that copies: registers are shifted by warpgroups
constexpr int kBand = 8;        // clusters' tiles below each other, before the next column begins
constexpr int kStoreCols = 64;  // columns of c that are stored at a time
constexpr int kStores = 2;      // such pieces of a warp's that are in shared memory together
constexpr int kStages = 4;      // steps whose tiles are in shared memory, or on the way there

/// The ring, and pieces of c. All begin at multiples of 1024 bytes, as the swizzle wants it.
struct Shared {
  unsigned char a[kStages][BM * BK], b[kStages][BN * BK];
  __nv_bfloat16 c[kGroups][4][kStores][16 * kStoreCols];  // of the groups' warps
  std::uint64_t full[kStages];                            // the stage's tiles are there
  std::uint64_t empty[kStages];                           // and have been read
};

/// The first row and column of a cluster's tile of c. The numbers go down a band of kBand tiles, then
/// on to the next column of the band, and at its end to the next band.
struct Tile {
  int row, col;
  __device__ Tile(int number, int tiles_down, int tiles_across) {
    const int first = number / (kBand * tiles_across) * kBand;  // the band's first tile, counted downwards
    const int height = min(kBand, tiles_down - first), in_band = number - first * tiles_across;
    row = (first + in_band % height) * kCluster * BM;
    col = in_band / height * BN;
  }
};

/// A place in the ring. Each time round, the stages' mbarriers are in the next phase.
struct Place {
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, 1)
    int8_kernel(const __grid_constant__ CUtensorMap map_c, const __grid_constant__ CUtensorMap map_a,
                const __grid_constant__ CUtensorMap map_b, const float* a_scale, const float* b_scale, int m,
                int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int rank = cluster_rank(), cluster = blockIdx.x / kCluster, clusters = gridDim.x / kCluster;
  const int tiles_down = (m + kCluster * BM - 1) / (kCluster * BM), tiles_across = (n + BN - 1) / BN;
  const int tiles = tiles_down * tiles_across;                          // of clusters
  const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;  // group -1 is the producer
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kCluster * kGroups);
    }
    fence_mbarrier_init();
  }
  cluster_sync();  // nobody copies to a block, or arrives there, before it is ready

  Place place;
  if (group < 0) {
    registers_decrease<40>();
    if (thread == 0) {
      for (int number = cluster; number < tiles; number += clusters) {
        const Tile tile(number, tiles_down, tiles_across);
        for (int k0 = 0; k0 < k; k0 += BK) {
          std::uint64_t* const full = &shared.full[place.stage];
          mbarrier_wait(&shared.empty[place.stage], place.parity ^ 1);
          // TODO(1): announce the bytes of both tiles; copy this block's rows of a, and its share of b's to
          //          both blocks. A tile's column k0 is byte k0 now (4 lines).
          place.advance();
        }
      }
    }
  } else {
    registers_increase<232>();
    // Stores this warp's 16 rows of results, from `row` on: pieces, which have kStores places by turns.
    const int warp = thread / 32, lane = thread % 32;
    const auto store = [&](const int(&sum)[BN / 2], int row, int col) {
      const float scale[2] = {scale_at(a_scale, row + lane / 4, m), scale_at(a_scale, row + lane / 4 + 8, m)};
#pragma unroll
      for (int piece = 0; piece < BN / kStoreCols; ++piece) {
        __nv_bfloat16* const packed = shared.c[group][warp][piece % kStores];
        float result[kStoreCols / 2];
        // TODO(2): this piece's results: of eight columns each, a lane has two neighbours of its first row,
        //          then of its second. A column's scale is scale_at(b_scale, its number, n) (8 lines).
        if (lane == 0) tma_wait_group_read<kStores - 1>();  // what was stored from this place has been read
        __syncwarp();
        pack_results(packed, result);
        fence_proxy_async();
        __syncwarp();
        if (lane == 0) {
          tma_store_2d(map_c, col + piece * kStoreCols, row, packed);
          tma_commit_group();
        }
      }
    };
    int sum[BN / 2];  // the first products overwrite them
    // Tells all blocks of the cluster, each by a thread of its own, that this group has read a stage.
    const auto release = [&](int stage) {
      if (thread < kCluster) mbarrier_arrive_at(&shared.empty[stage], thread);
    };
    for (int number = cluster; number < tiles; number += clusters) {
      const Tile tile(number, tiles_down, tiles_across);
      int before = 0;  // the stage of the step before
      for (int k0 = 0; k0 < k; k0 += BK) {
        mbarrier_wait(&shared.full[place.stage], place.parity);
        const std::uint64_t a_rows = wgmma_descriptor(shared.a[place.stage] + group * 64 * BK);
        const std::uint64_t b_rows = wgmma_descriptor(shared.b[place.stage]);
        // TODO(3): the products of this step, 32 columns each, left under way; then the step before is done,
        //          and its stage released, if there is one (9 lines).
        before = place.stage;
        place.advance();
      }
      wgmma_wait_group<0>();
      release(before);  // the last stage, too: it is filled for the next tile while this one is stored
      store(sum, tile.row + rank * BM + group * 64 + warp * 16, tile.col);
    }
    if (lane == 0) tma_wait_group_read<0>();  // who leaves takes its shared memory away
  }
  cluster_sync();  // no block leaves while others copy to it, or arrive at its mbarriers
}

cudaError_t int8_matmul(__nv_bfloat16* c, const signed char* a, const signed char* b, const float* a_scale,
                        const float* b_scale, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);  // no tensor map has 0 columns
  CUtensorMap map_a, map_b, map_c;
  cudaError_t error = make_byte_map(&map_a, a, m, k, BM);
  if (error == cudaSuccess) error = make_byte_map(&map_b, b, n, k, kShare);
  if (error == cudaSuccess) error = make_tensor_map(&map_c, c, m, n, 16);
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(int8_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  int device = 0, multiprocessors = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const int tiles = (m + kCluster * BM - 1) / (kCluster * BM) * ((n + BN - 1) / BN);
  const int clusters = tiles < multiprocessors / kCluster ? tiles : multiprocessors / kCluster;
  int8_kernel<<<clusters * kCluster, kThreads, sizeof(Shared)>>>(map_c, map_a, map_b, a_scale, b_scale, m, n,
                                                                 k);
  return cudaGetLastError();
}
