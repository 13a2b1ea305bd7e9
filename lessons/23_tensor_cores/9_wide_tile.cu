// Rung 9: a tile of 128 x 256. Its vectors are used more often, and eight warps take their turns at one
// barrier.
#include "instructions.h"
#include "tensor_cores.h"

constexpr int BM = 128, BN = 256;  // of c, that a block covers
constexpr int BK = 32;             // and takes k in steps of 32
constexpr int WM = 64;             // a warp covers 64 x 64 of them
constexpr int kWarpsAcross = BN / WM;
constexpr int kThreads = BM / WM * kWarpsAcross * 32;      // 256
constexpr int kEachA = BM * BK / 8 / kThreads;             // vectors of a's tile that a thread brings in, ...
constexpr int kEachB = BK * BN / 8 / kThreads;             // ... and of b's
constexpr int kRowsA = BM / kEachA, kRowsB = BK / kEachB;  // from one of these to its next: rows
constexpr int kFragment = 16;                              // rows and columns of a fragment
constexpr int kFragments = WM / kFragment;                 // fragments down and across a warp's part
constexpr int kStages = 4;  // steps whose tiles are in shared memory, or on the way there

/// The tiles of a step, vector by vector.
struct Tiles {
  uint4 a[BM * (BK / 8)], b[BK * (BN / 8)];
};

/// Where 16-byte vector `vec` of row `row` of a's tile is stored, counted in such vectors. Two rows fill the
/// 32 banks. Of eight rows below each other, no two may have the same vector in the same banks.
__device__ int place_in_a(int row, int vec) { return row * (BK / 8) + (vec ^ row / 2 % 4); }

/// The same for b's tile, whose rows fill the banks more than once: here all rows would meet.
__device__ int place_in_b(int row, int vec) { return row * (BN / 8) + (vec ^ row % 8); }

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  // TODO(1): the kernel as a whole: ring, places, fetch, fragments in two sets, pipeline and epilogue (81
  //          lines). Take what you wrote for rungs 5 to 8, and go through it line by line: what depends on
  //          the tile being square, or on four warps?
}

cudaError_t half_matmul(float* c, const __half* a, const __half* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  const auto kernel = rows_aligned(a, b, n, k) ? matmul_kernel<true> : matmul_kernel<false>;
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  constexpr int kSharedBytes = kStages * static_cast<int>(sizeof(Tiles));
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error != cudaSuccess) return error;
  kernel<<<tiles_down * tiles_across, kThreads, kSharedBytes>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
