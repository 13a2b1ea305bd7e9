// Copies between global and shared memory that one thread starts and a unit of its own carries out, the
// Tensor Memory Accelerator. For compute capability 9.0.
#pragma once

#include <cuda.h>  // CUtensorMap

#include "common/mbarrier.h"

/// Copies a box of a matrix to shared memory, in the background. What lies outside of the matrix becomes 0,
/// and counts as bytes all the same.
///
/// @param      tile     in shared memory, at a multiple of 128 bytes (of 1024 with a swizzle of 128)
/// @param      map      the matrix and the shape of the box, a __grid_constant__ parameter of the kernel
/// @param      col,row  the box's first element; may lie outside
/// @param[out] barrier  counts the bytes
__device__ inline void tma_load_2d(void* tile, const CUtensorMap& map, int col, int row,
                                   std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared_address(tile)),
      "l"(&map), "r"(col), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

/// The same to every block of the cluster whose bit is set in @p blocks: to the same place in each, and
/// counted by the mbarrier at the same place in each.
__device__ inline void tma_load_2d_multicast(void* tile, const CUtensorMap& map, int col, int row,
                                             std::uint64_t* barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(tile)),
      "l"(&map), "r"(col), "r"(row), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}

/// Copies a box from shared memory to the matrix, in the background; what would lie outside is dropped.
__device__ inline void tma_store_2d(const CUtensorMap& map, int col, int row, const void* tile) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
               "r"(col), "r"(row), "r"(shared_address(tile))
               : "memory");
}

/// Ends a group of stores: those that this thread started since the last one.
__device__ inline void tma_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// Waits until all but the latest kLeft groups of this thread have read their shared memory.
template <int kLeft>
__device__ void tma_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kLeft) : "memory");
}

/// What this thread has stored to shared memory so far is seen by copies and products that are started behind
/// it, or behind a barrier that comes behind it.
__device__ inline void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Fetches a tensor map before the first copy needs it.
__device__ inline void tma_prefetch_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
