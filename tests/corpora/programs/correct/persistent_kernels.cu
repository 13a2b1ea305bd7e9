// arch: 90a
// Correct: blocks that take tile after tile, split products between them, or put parts together.
#include "../bulk.h"
#include "../case.h"

constexpr int kTile = 128;  // words; as many consumers, and a warp behind them that copies

// One ring for all tiles of the block: its phases go on from tile to tile.
__global__ void carried_on(int* out, const int* in, int tiles, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], kTile);
    fence_mbarrier_init();
  }
  __syncthreads();
  int turn = 0;
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x)
      for (int k = 0; k < turns; ++k, ++turn) {
        mbarrier_wait(&empty[turn % 2], (turn / 2 + 1) % 2);
        mbarrier_expect(&full[turn % 2], sizeof tile[0]);
        bulk_load(tile[turn % 2], in + (t * turns + k) * kTile, sizeof tile[0], &full[turn % 2]);
      }
    return;
  }
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    int sum = 0;
    for (int k = 0; k < turns; ++k, ++turn) {
      mbarrier_wait(&full[turn % 2], turn / 2 % 2);
      sum += tile[turn % 2][threadIdx.x];
      mbarrier_arrive(&empty[turn % 2]);
    }
    out[t * kTile + threadIdx.x] = sum;
  }
}
CASE(one_ring_for_all_tiles) {
  Buffer<int> out(5 * kTile), in(5 * 3 * kTile, 1);
  carried_on<<<2, kTile + 32>>>(out, in, 5, 3);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 3);
}

// The number of the next tile is drawn by the producer and handed on beside the tile, in the stage.
__global__ void drawn(int* out, const int* in, int* counter, int tiles) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ int number[2];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], kTile);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0;; ++k) {
      const int next = atomicAdd(counter, 1);
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      number[k % 2] = next;
      if (next >= tiles) {
        mbarrier_arrive(&full[k % 2]);
        return;
      }
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + next * kTile, sizeof tile[0], &full[k % 2]);
    }
  }
  for (int k = 0;; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    const int which = number[k % 2];
    if (which >= tiles) return;
    out[which * kTile + threadIdx.x] = tile[k % 2][threadIdx.x] + which;
    mbarrier_arrive(&empty[k % 2]);
  }
}
CASE(tiles_drawn_by_the_producer) {
  Buffer<int> out(7 * kTile), in(7 * kTile, 1), counter(1);
  drawn<<<2, kTile + 32>>>(out, in, counter, 7);
  finish();
  const std::vector<int> result = out.host();
  for (int i = 0; i < 7 * kTile; ++i) CHECK_THAT(result[i] == 1 + i / kTile);
}

// Stream-K: each block takes an even share of all turns; parts of a tile that two blocks share are handed on
// by a flag, from the block behind to the one in front.
__global__ void stream_k(int* out, const int* in, int* parts, int* flags, int tiles, int turns) {
  const int all = tiles * turns, share = (all + gridDim.x - 1) / gridDim.x;
  int at = blockIdx.x * share;
  const int end = min(all, at + share);
  while (at < end) {
    const int tile = at / turns, last = min(end, (tile + 1) * turns);
    const bool first_part = at % turns == 0, whole = last == (tile + 1) * turns;
    int sum = 0;
    for (; at < last; ++at) sum += in[at * kTile + threadIdx.x];
    if (!first_part) {
      parts[blockIdx.x * kTile + threadIdx.x] = sum;
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], 1);
    } else {
      if (!whole) {
        if (threadIdx.x == 0)
          while (atomicAdd(&flags[blockIdx.x + 1], 0) == 0) {
          }
        __syncthreads();
        __threadfence();
        sum += parts[(blockIdx.x + 1) * kTile + threadIdx.x];
      }
      out[tile * kTile + threadIdx.x] = sum;
    }
  }
}
CASE(shares_of_all_turns) {
  Buffer<int> out(3 * kTile), in(3 * 4 * kTile, 1), parts(4 * kTile), flags(5);
  stream_k<<<4, kTile>>>(out, in, parts, flags, 3, 4);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 4);
}

// Blocks that have part of a sum add it by a bulk reduction; no order is needed.
__global__ void added_up(int* out, const int* in) {
  __shared__ alignas(128) int tile[kTile];
  tile[threadIdx.x] = in[blockIdx.x * kTile + threadIdx.x];
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_add(out, tile, sizeof tile);
    bulk_commit();
    bulk_wait<0>();
  }
}
CASE(parts_added_by_bulk_reductions) {
  Buffer<int> out(kTile), in(6 * kTile, 2);
  added_up<<<6, kTile>>>(out, in);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 12);
}

// The last block to come adds up what the others have stored by bulk copies: each waits for its bytes to
// arrive, fences the proxies, and then counts.
__global__ void last_adds(int* out, int* parts, int* done) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ bool last;
  tile[threadIdx.x] = blockIdx.x + 1;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(parts + blockIdx.x * kTile, tile, sizeof tile);
    bulk_commit();
    bulk_wait<0>();
    asm volatile("fence.proxy.async;" ::: "memory");
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  int sum = 0;
  for (int b = 0; b < int(gridDim.x); ++b) sum += parts[b * kTile + threadIdx.x];
  out[threadIdx.x] = sum;
}
CASE(last_block_reads_bulk_stores) {
  Buffer<int> out(kTile), parts(4 * kTile), done(1);
  last_adds<<<4, kTile>>>(out, parts, done);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 10);
}
