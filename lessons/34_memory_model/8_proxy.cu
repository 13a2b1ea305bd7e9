// Rung 8: threads store a tile to shared memory, and a bulk copy takes it from there to global memory: two
// proxies, the ordinary one and the asynchronous one, which see memory by ways of their own.
#include <cstdint>

#include "bulk.h"
#include "memory_model.h"

constexpr int kBlock = 256;
constexpr int kBuffers = 2;  // tiles in shared memory: one is filled while the other one is copied
constexpr int kTurns = 4;    // tiles of a block

__global__ void turn_kernel(unsigned* out, const unsigned* in, int n, unsigned key) {
  __shared__ alignas(16) unsigned tiles[kBuffers][kTile];
  const int thread = threadIdx.x;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::int64_t begin = (static_cast<std::int64_t>(blockIdx.x) * kTurns + turn) * kTile;
    if (begin >= n) break;
    unsigned* const tile = tiles[turn % kBuffers];
    const int length = n - begin < kTile ? static_cast<int>(n - begin) : kTile;
    // TODO(1): the copy of two turns ago may still be reading this tile. Thread 0, which has started it,
    //          waits: tma_wait_group_read<...>(); a barrier tells the others (2 lines).
    for (int j = thread; j < length; j += kBlock) tile[j] = step(in[begin + length - 1 - j], key);
    // TODO(2): every thread fences its stores for the other proxy, fence_proxy_async(); behind a barrier
    //          thread 0 starts the copy of the tile, bulk_store(), and ends its group, tma_commit_group() (6
    //          lines).
  }
  // TODO(3): shared memory must not go before it is read: thread 0 waits for all its groups (1 line).
}

cudaError_t turn_tiles(unsigned* out, const unsigned* in, int n, unsigned key) {
  if (n == 0) return cudaSuccess;
  constexpr int kWords = kTurns * kTile;  // of a block
  turn_kernel<<<n / kWords + (n % kWords != 0), kBlock>>>(out, in, n, key);
  return cudaGetLastError();
}
