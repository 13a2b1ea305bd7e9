// Rung 5: floats of 8 bits. The Tensor Cores' sums of them have few bits: after 256 products a sum is added
// to one in single precision, and begins anew. There are registers for a second sum of half the columns: so
// halves take turns.
#include "common/tma.h"
#include "epilogue.h"
#include "quantised_matmul.h"
#include "warpgroup.h"

constexpr int BM = 128, BN = 256;              // of c, that a block covers
constexpr int kWide = 128;                     // columns of a box: a row of it is 128 bytes
constexpr int kBoxes = 2;                      // boxes of a step, which takes 256 columns of k
constexpr int BK = kBoxes * kWide;             // as many products as the Tensor Cores may add up
constexpr int kCluster = 2;                    // blocks below each other
constexpr int kShare = BN / kCluster;          // rows of b's tile that a block brings, to all
constexpr int kGroups = BM / 64;               // warpgroups that multiply, each 64 x 256
constexpr int kThreads = (1 + kGroups) * 128;  // and one that copies: registers are shifted by warpgroups
constexpr int kBand = 8;        // clusters' tiles below each other, before the next column begins
constexpr int kStoreCols = 64;  // columns of c that are stored at a time
constexpr int kStores = 2;      // such pieces of a warp's that are in shared memory together
constexpr int kStages = 2;      // steps whose tiles are in shared memory, or on the way there

/// The ring, and pieces of c. All begin at multiples of 1024 bytes, as the swizzle wants it.
struct Shared {
  unsigned char a[kStages][kBoxes][BM * kWide], b[kStages][kBoxes][BN * kWide];
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
    fp8_kernel(const __grid_constant__ CUtensorMap map_c, const __grid_constant__ CUtensorMap map_a,
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
          // TODO(1): announce the bytes of all boxes; copy both boxes of a, and of b's share to both
          //          blocks. A box that lies behind the last column comes as zeros, and counts (7 lines).
          // BEGIN SOLUTION
          mbarrier_arrive_expect_tx(full, sizeof shared.a[0] + sizeof shared.b[0]);
          for (int box = 0; box < kBoxes; ++box) {
            const int col = k0 + box * kWide;
            tma_load_2d(shared.a[place.stage][box], map_a, col, tile.row + rank * BM, full);
            tma_load_2d_multicast(shared.b[place.stage][box] + rank * kShare * kWide, map_b, col,
                                  tile.col + rank * kShare, full, (1 << kCluster) - 1);
          }
          // END SOLUTION
          place.advance();
        }
      }
    }
  } else {
    registers_increase<232>();
    // Stores this warp's 16 rows of results, from `row` on: pieces, which have kStores places by turns.
    const int warp = thread / 32, lane = thread % 32;
    const auto store = [&](const float(&sum)[BN / 2], int row, int col) {
      const float scale[2] = {scale_at(a_scale, row + lane / 4, m), scale_at(a_scale, row + lane / 4 + 8, m)};
#pragma unroll
      for (int piece = 0; piece < BN / kStoreCols; ++piece) {
        __nv_bfloat16* const packed = shared.c[group][warp][piece % kStores];
        float result[kStoreCols / 2];
#pragma unroll
        for (int j = 0; j < kStoreCols / 8; ++j)
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            const float of_col = scale_at(b_scale, col + piece * kStoreCols + j * 8 + lane % 4 * 2 + i, n);
            const float* const part = sum + piece * kStoreCols / 2 + 4 * j + i;
            result[4 * j + i] = part[0] * (scale[0] * of_col);
            result[4 * j + i + 2] = part[2] * (scale[1] * of_col);
          }
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
    // Tells all blocks of the cluster, each by a thread of its own, that this group has read a stage.
    const auto release = [&](int stage) {
      if (thread < kCluster) mbarrier_arrive_at(&shared.empty[stage], thread);
    };
    for (int number = cluster; number < tiles; number += clusters) {
      const Tile tile(number, tiles_down, tiles_across);
      float total[BN / 2] = {};
      for (int k0 = 0; k0 < k; k0 += BK) {
        mbarrier_wait(&shared.full[place.stage], place.parity);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float sum[BN / 4];  // of 128 columns of c
          // TODO(2): this half's products, of both boxes: the first overwrites what is in `sum`. Make them
          //          one group, and wait for it. Behind the second half nobody reads the stage any more. Then
          //          add up (16 lines).
          // BEGIN SOLUTION
          wgmma_fence();
#pragma unroll
          for (int box = 0; box < kBoxes; ++box) {
            const std::uint64_t a_rows = wgmma_descriptor(shared.a[place.stage][box] + group * 64 * kWide);
            const std::uint64_t b_rows = wgmma_descriptor(shared.b[place.stage][box] + half * BN / 2 * kWide);
#pragma unroll
            for (int l = 0; l < kWide / 32; ++l)
              wgmma_m64n128k32_e4m3(sum, a_rows + 2 * l, b_rows + 2 * l, box + l > 0);
          }
          wgmma_commit_group();
          wgmma_wait_group<0>();  // meanwhile the other group's products are under way
          if (half == 1) release(place.stage);
#pragma unroll
          for (int i = 0; i < BN / 4; ++i) total[half * BN / 4 + i] += sum[i];
          // END SOLUTION
        }
        place.advance();
      }
      store(total, tile.row + rank * BM + group * 64 + warp * 16, tile.col);
    }
    if (lane == 0) tma_wait_group_read<0>();  // who leaves takes its shared memory away
  }
  cluster_sync();  // no block leaves while others copy to it, or arrive at its mbarriers
}

cudaError_t fp8_matmul(__nv_bfloat16* c, const unsigned char* a, const unsigned char* b, const float* a_scale,
                       const float* b_scale, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);  // no tensor map has 0 columns
  CUtensorMap map_a, map_b, map_c;
  cudaError_t error = make_byte_map(&map_a, a, m, k, BM);
  if (error == cudaSuccess) error = make_byte_map(&map_b, b, n, k, kShare);
  if (error == cudaSuccess) error = make_tensor_map(&map_c, c, m, n, 16);
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(fp8_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  int device = 0, multiprocessors = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const int tiles = (m + kCluster * BM - 1) / (kCluster * BM) * ((n + BN - 1) / BN);
  const int clusters = tiles < multiprocessors / kCluster ? tiles : multiprocessors / kCluster;
  fp8_kernel<<<clusters * kCluster, kThreads, sizeof(Shared)>>>(map_c, map_a, map_b, a_scale, b_scale, m, n,
                                                                k);
  return cudaGetLastError();
}
