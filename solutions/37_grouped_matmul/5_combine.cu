// Rung 5: the way back. Each row is weighted and stored where its pair is, and a token's pairs, which are
// neighbours then, are added up in their order: the same sum in every run.
#include "epilogue.h"
#include "grouped_matmul.h"
#include "persistent.h"
#include "ring.h"

__global__ void __launch_bounds__(kThreads, 1)
    matmul_kernel(__nv_bfloat16* parts, const __grid_constant__ CUtensorMap map_h,
                  const __grid_constant__ CUtensorMap map_w, const int* start, const int* pair,
                  const float* weight, int experts, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Ring& ring = *reinterpret_cast<Ring*>(memory);
  __shared__ List list;
  if (threadIdx.x < kWarp) count_tiles(list, start, experts);
  initialise(ring, 1);  // and the list is there: it ends with a barrier
  const int tiles_across = (n + BN - 1) / BN, tiles = list.tiles_before[experts] * tiles_across;
  const int block = blockIdx.x, blocks = gridDim.x;
  Place place;
  if (group_number() < 0) {
    registers_decrease<40>();
    if (threadIdx.x == 0)
      for (int number = block; number < tiles; number += blocks)
        copy(ring, place, map_h, map_w, tile_of(list, experts, number, tiles_across), n, k);
  } else {
    registers_increase<232>();
    float sum[BN / 2];  // the first products overwrite them
    for (int number = block; number < tiles; number += blocks) {
      const Tile tile = tile_of(list, experts, number, tiles_across);
      multiply(ring, place, sum, k);
      // TODO(1): a lane has sums of row lane / 4 of its warp's and of the one eight further down: their
      //          pairs' weights, 0 for rows that are another expert's. Then the store to the pairs' places
      //          (12 lines).
      // BEGIN SOLUTION
      float factor[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_row(tile) + static_cast<int>(threadIdx.x) % kWarp / 4 + half * 8;
        factor[half] = row < tile.end ? weight[pair[row]] : 0;
      }
#pragma unroll
      for (int i = 0; i < BN / 2; ++i) sum[i] *= factor[i / 2 % 2];
      store_rows(parts, ring, sum, tile, n, [&](int row) { return pair[row]; });
      // END SOLUTION
    }
  }
}

constexpr int kVec = 8;  // bf16 in 16 bytes

/// A thread adds up eight columns of a token's parts.
__global__ void sum_kernel(uint4* out, const uint4* parts, int tokens, int top_k, int vecs) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<std::int64_t>(tokens) * vecs) return;
  // TODO(2): parts of token i / vecs are top_k rows of vecs vectors, one below the other (11 lines).
  // BEGIN SOLUTION
  const std::int64_t first = i / vecs * top_k * vecs + i % vecs;
  float2 sum[kVec / 2] = {};
  for (int j = 0; j < top_k; ++j) {
    const uint4 part = __ldcs(&parts[first + static_cast<std::int64_t>(j) * vecs]);
    const unsigned both[] = {part.x, part.y, part.z, part.w};
#pragma unroll
    for (int v = 0; v < kVec / 2; ++v) {  // a bf16 is the upper half of a float
      sum[v].x += __uint_as_float(both[v] << 16);
      sum[v].y += __uint_as_float(both[v] & 0xffff0000);
    }
  }
  out[i] = make_uint4(pack(sum[0].x, sum[0].y), pack(sum[1].x, sum[1].y), pack(sum[2].x, sum[2].y),
                      pack(sum[3].x, sum[3].y));
  // END SOLUTION
}

cudaError_t combined_matmul(__nv_bfloat16* out, __nv_bfloat16* parts, const __nv_bfloat16* h,
                            const __nv_bfloat16* w, const int* start, const int* pair, const float* weight,
                            int experts, int tokens, int top_k, int n, int k) {
  const int rows = tokens * top_k;
  if (rows == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(out, 0, sizeof(__nv_bfloat16) * tokens * n);
  CUtensorMap map_h, map_w;
  cudaError_t error = make_tensor_map(&map_h, h, rows, k, BM);
  if (error == cudaSuccess) error = make_tensor_map(&map_w, w, experts * n, k, BN);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Ring));
  int device = 0, multiprocessors = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const int most = (rows + experts * (BM - 1)) / BM * ((n + BN - 1) / BN);
  const int blocks = most < multiprocessors ? most : multiprocessors;
  matmul_kernel<<<blocks, kThreads, sizeof(Ring)>>>(parts, map_h, map_w, start, pair, weight, experts, n, k);
  constexpr int kSumThreads = 256;
  const int vecs = n / kVec;
  const std::int64_t threads = static_cast<std::int64_t>(tokens) * vecs;
  sum_kernel<<<static_cast<unsigned>((threads + kSumThreads - 1) / kSumThreads), kSumThreads>>>(
      reinterpret_cast<uint4*>(out), reinterpret_cast<const uint4*>(parts), tokens, top_k, vecs);
  return cudaGetLastError();
}
