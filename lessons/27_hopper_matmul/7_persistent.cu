// Rung 7: as many blocks as there are multiprocessors, and each works off a list of tiles: copies for
// the next tile begin while this one is stored, and tiles that are under way together share rows and
// columns in the L2.
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "epilogue.h"
#include "hopper_matmul.h"

constexpr int BM = 128, BN = 256;              // of c, that a block covers
constexpr int BK = 64;                         // and takes k in steps of 64: rows of 128 bytes
constexpr int kCluster = 2;                    // blocks below each other
constexpr int kShare = BN / kCluster;          // rows of b's tile that a block brings, to all
constexpr int kGroups = BM / 64;               // warpgroups that multiply, each 64 x 256
constexpr int kThreads = (1 + kGroups) * 128;  // and one that copies: registers are shifted by warpgroups
constexpr int kBand = 8;    // clusters' tiles below each other, before the next column begins
constexpr int kStages = 4;  // steps whose tiles are in shared memory, or on the way there

/// The ring. Tiles first: they begin at multiples of 1024 bytes, as the swizzle wants it.
struct Shared {
  __nv_bfloat16 a[kStages][BM * BK], b[kStages][BN * BK];
  std::uint64_t full[kStages];   // the stage's tiles are there
  std::uint64_t empty[kStages];  // and have been read
};

/// The first row and column of a cluster's tile of c. The numbers go down a band of kBand tiles, then
/// on to the next column of the band, and at its end to the next band.
struct Tile {
  int row, col;
  __device__ Tile(int number, int tiles_down, int tiles_across) {
    // TODO(1): the last band may have fewer tiles below each other (4 lines).
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
    matmul_kernel(__nv_bfloat16* c, const __grid_constant__ CUtensorMap map_a,
                  const __grid_constant__ CUtensorMap map_b, int m, int n, int k) {
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
    // TODO(2): one thread copies, for all steps of tiles `cluster`, `cluster + clusters`, ... The ring
    //          does not begin anew with a tile (15 lines).
  } else {
    registers_increase<232>();
    float sum[BN / 2];  // the first products overwrite them
    // Tells all blocks of the cluster, each by a thread of its own, that this group has read a stage.
    const auto release = [&](int stage) {
      if (thread < kCluster) mbarrier_arrive_at(&shared.empty[stage], thread);
    };
    // TODO(3): the consumers: rung 6's loop and its epilogue, for the same tiles. The producer is ahead
    //          by the ring's stages: who has to be told what, before the sums are stored (23 lines)?
  }
  cluster_sync();  // no block leaves while others copy to it, or arrive at its mbarriers
}

cudaError_t hopper_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n,
                          int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);  // no tensor map has 0 columns
  CUtensorMap map_a, map_b;
  cudaError_t error = make_tensor_map(&map_a, a, m, k, BM);
  if (error == cudaSuccess) error = make_tensor_map(&map_b, b, n, k, kShare);
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  int device = 0, multiprocessors = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  // TODO(4): a block for each multiprocessor, and no more clusters than there are tiles; then the
  //          launch (3 lines).
  return cudaGetLastError();
}
