// Rung 3: as many blocks as there are multiprocessors walk the list. The ring goes on from tile to tile, and
// tiles that are under way together share rows and weights in the L2.
#include "epilogue.h"
#include "grouped_matmul.h"
#include "list.h"
#include "ring.h"

constexpr int kBand = 16;  // row tiles of an expert below each other, before the next column begins

/// The tile of a number. Numbers go expert by expert, and within one down a band of kBand row tiles, then on
/// to the next column of the band, and at its end to the next band.
__device__ Tile tile_of(const List& list, int experts, int number, int tiles_across) {
  const int expert = find_expert(list, experts, number / tiles_across);
  int down = 0, across = 0;
  // TODO(1): the tile's row and column, counted in tiles from the expert's first. An expert's last band may
  //          have fewer row tiles (6 lines).
  return {list.start[expert] + down * BM, list.start[expert + 1], across * BN, expert};
}

__global__ void __launch_bounds__(kThreads, 1)
    matmul_kernel(__nv_bfloat16* y, const __grid_constant__ CUtensorMap map_x,
                  const __grid_constant__ CUtensorMap map_w, const int* start, int experts, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Ring& ring = *reinterpret_cast<Ring*>(memory);
  __shared__ List list;
  if (threadIdx.x < kWarp) count_tiles(list, start, experts);
  initialise(ring, 1);  // and the list is there: it ends with a barrier
  const int tiles_across = (n + BN - 1) / BN, tiles = list.tiles_before[experts] * tiles_across;
  const int block = blockIdx.x, blocks = gridDim.x;
  Place place;  // the ring does not begin anew with a tile
  if (group_number() < 0) {
    registers_decrease<40>();
    // TODO(2): one thread copies for tiles number `block`, `block + blocks`, ... (3 lines).
  } else {
    registers_increase<232>();
    float sum[BN / 2];  // the first products overwrite them
    // TODO(3): the same tiles for a group that multiplies and stores its 64 rows (5 lines).
  }
}

cudaError_t grouped_matmul(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w, const int* start,
                           int experts, int rows, int n, int k) {
  if (rows == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(y, 0, sizeof(__nv_bfloat16) * rows * n);  // no tensor map has 0 columns
  CUtensorMap map_x, map_w;
  cudaError_t error = make_tensor_map(&map_x, x, rows, k, BM);
  if (error == cudaSuccess) error = make_tensor_map(&map_w, w, experts * n, k, BN);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Ring));
  int device = 0, multiprocessors = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  // TODO(4): a block a multiprocessor, and no more than there could be tiles; then the launch (4 lines).
  return cudaGetLastError();
}
