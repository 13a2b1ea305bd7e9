// Rung 5: the kernels of the devices wait for each other themselves: no events, one launch for each.
#include <algorithm>
#include <cuda/atomic>

#include "common/cuda_check.h"
#include "peers.h"
#include "two_gpus.h"

constexpr int kBlock = 512;
constexpr int kBlocks = 64;  // all at once on any GPU: of more than fit, no order is promised
constexpr int kAhead = 4;    // loads of a thread that are on the way together: a link is far

/// What a kernel is told of all ranks.
struct Peers {
  const float* in[kMostRanks];
  unsigned* flags[kMostRanks];  // [kBlocks][ranks]: at [b][q] rank q tells block b
};

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

/// Block b of rank `me` goes on when block b of every rank has come here. All threads call it.
/// @param turn  higher each time
__device__ void meet(const Peers& p, int me, int ranks, unsigned turn) {
  // TODO(1): when all of the block have come, thread q tells rank q by a store of turn that releases, and
  //          waits until rank q has told this block: the loads acquire. A turn may be passed before it is
  //          seen. Then the block goes on together (7 lines).
  // BEGIN SOLUTION
  __syncthreads();  // what the block has read and written lies before the flags
  const int q = threadIdx.x;
  if (q < ranks) {
    Flag(p.flags[q][blockIdx.x * ranks + me]).store(turn, cuda::memory_order_release);
    const Flag told(p.flags[me][blockIdx.x * ranks + q]);
    while (told.load(cuda::memory_order_acquire) < turn) {
    }
  }
  __syncthreads();  // and what it reads behind them
  // END SOLUTION
}

/// @param turn  of the launch, from 1
__global__ void __launch_bounds__(kBlock)
    all_reduce_kernel(float* out, const __grid_constant__ Peers p, int me, int ranks, unsigned turn,
                      std::int64_t n) {
  // TODO(2): meet, add up, meet again: what for is the second time? Turns of the two meetings are 2 * turn -
  //          1 and 2 * turn. Block b has tiles b, b + kBlocks, ... of kBlock * kAhead elements; a thread
  //          loads kAhead of them, kBlock apart, before it stores any (13 lines).
  // BEGIN SOLUTION
  meet(p, me, ranks, 2 * turn - 1);  // everybody's in is there
  constexpr std::int64_t kTile = kBlock * kAhead;
  for (std::int64_t tile = blockIdx.x * kTile; tile < n; tile += kBlocks * kTile) {
    float sum[kAhead];
    for (int r = 0; r < ranks; ++r)
#pragma unroll
      for (int j = 0; j < kAhead; ++j) {
        const std::int64_t i = tile + j * kBlock + threadIdx.x;
        const float more = i < n ? p.in[r][i] : 0;
        sum[j] = r == 0 ? more : sum[j] + more;
      }
#pragma unroll
    for (int j = 0; j < kAhead; ++j)
      if (const std::int64_t i = tile + j * kBlock + threadIdx.x; i < n) out[i] = sum[j];
  }
  meet(p, me, ranks, 2 * turn);  // and has been read: the next in the stream may overwrite it
  // END SOLUTION
}

cudaError_t all_reduce(Group& g) {
  if (g.n == 0) return cudaSuccess;
  Peers p;
  std::copy_n(g.in, g.ranks, p.in);
  std::copy_n(g.flags, g.ranks, p.flags);
  // TODO(3): a turn more, and a launch for each rank (4 lines).
  // BEGIN SOLUTION
  ++g.turn;
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    all_reduce_kernel<<<kBlocks, kBlock, 0, g.stream[r]>>>(g.out[r], p, r, g.ranks, g.turn, g.n);
  }
  // END SOLUTION
  return cudaGetLastError();
}

cudaError_t group_prepare(Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    for (int q = 0; q < g.ranks; ++q)
      if (q != r) access_peer(q);
    CUDA_CHECK(cudaMalloc(&g.flags[r], kBlocks * g.ranks * sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(g.flags[r], 0, kBlocks * g.ranks * sizeof(unsigned)));
    CUDA_CHECK(cudaDeviceSynchronize());  // the streams are non-blocking: they do not wait for the memset
  }
  return cudaSuccess;
}

cudaError_t group_release(Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaFree(g.flags[r]));
    g.flags[r] = nullptr;
  }
  return cudaSuccess;
}
