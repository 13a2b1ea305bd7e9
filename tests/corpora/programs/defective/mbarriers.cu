// arch: 90a
// mbarriers and bulk copies whose order, phases or bytes are wrong.
#include "../bulk.h"
#include "../case.h"

constexpr int kTile = 128;  // words

// expect: race shared
// wrong: the other warps use the mbarrier before they know of its initialisation.
// cure:  __syncthreads() behind the initialisation.
__global__ void used_at_once(int* out, const int* in) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 1);  // <- race
    mbarrier_expect(&full, sizeof tile);
    bulk_load(tile, in, sizeof tile, &full);
  }
  mbarrier_wait(&full, 0);  // <- race
  out[threadIdx.x] = tile[threadIdx.x];
}
CASE(mbarrier_used_at_once) {
  Buffer<int> out(kTile), in(kTile, 0, 1);
  used_at_once<<<1, kTile>>>(out, in);
  finish();
}

// expect: race|uninitialized shared
// wrong: a barrier of the block says nothing of the other block's mbarrier.
// cure:  fence_mbarrier_init() and cluster barrier in place of __syncthreads().
__global__ void __cluster_dims__(2, 1, 1) other_blocks(int* out) {
  __shared__ std::uint64_t ready;
  if (threadIdx.x == 0) mbarrier_init(&ready, 2);  // <- race
  __syncthreads();
  if (threadIdx.x == 0)
    for (int rank = 0; rank < 2; ++rank) mbarrier_arrive_at(&ready, rank);  // <- race
  mbarrier_wait(&ready, 0);
  cluster_arrive();
  cluster_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
CASE(mbarrier_of_another_block) {
  Buffer<int> out(64);
  other_blocks<<<2, 32>>>(out);
  finish();
}

// expect: race shared
// wrong: parity 1 is over from the start, so that nobody waits for the copy.
// cure:  mbarrier_wait(&full, 0).
__global__ void parity_of_before(int* out, const int* in) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, 2 * sizeof tile);
    bulk_load(tile, in, sizeof tile, &full);  // <- race
  }
  __syncthreads();
  mbarrier_wait(&full, 1);
  out[threadIdx.x] = tile[threadIdx.x];  // <- race
  __syncthreads();
  if (threadIdx.x == 0) bulk_load(tile, in, sizeof tile, &full);  // <- race
  mbarrier_wait(&full, 0);
}
CASE(wait_for_the_wrong_parity) {
  Buffer<int> out(kTile), in(kTile, 0, 1);
  parity_of_before<<<1, kTile>>>(out, in);
  finish();
}

// expect: barrier|hang
// wrong: two threads arrive where the mbarrier counts one: the second arrival counts in the next phase.
// cure:  one arrival, or mbarrier_init(&empty, 2).
__global__ void two_arrive(int* out, int turns) {
  __shared__ std::uint64_t empty;
  if (threadIdx.x == 0) mbarrier_init(&empty, 1), fence_mbarrier_init();
  __syncthreads();
  for (int k = 0; k < turns; ++k) {
    if (threadIdx.x % 32 == 0) mbarrier_arrive(&empty);  // <- barrier
    mbarrier_wait(&empty, k % 2);                        // <- hang
  }
  out[threadIdx.x] = turns;
}
CASE(two_arrivals_where_one_counts) {
  Buffer<int> out(64);
  two_arrive<<<1, 64>>>(out, 1);
  finish();
}

// expect: hang
// wrong: more bytes are announced than the copy brings.
// cure:  as many as the copy brings.
__global__ void bytes_that_never_come(int* out, const int* in) {
  __shared__ alignas(128) int tile[2 * kTile];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, sizeof tile);
    bulk_load(tile, in, sizeof tile / 2, &full);
  }
  mbarrier_wait(&full, 0);  // <- hang
  out[threadIdx.x] = tile[threadIdx.x];
}
CASE(more_bytes_announced_than_copied) {
  Buffer<int> out(kTile), in(2 * kTile, 0, 1);
  bytes_that_never_come<<<1, kTile>>>(out, in);
  finish();
}

// expect: hang
// wrong: the first wait for a stage to be empty is for phase 0, which only a consumer ends, and they wait for
// the copy. cure:  the first wait is for parity 1, which is over from the start.
__global__ void ring_that_never_starts(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], k / 2 % 2);  // <- hang
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);  // <- hang
    sum += tile[k % 2][threadIdx.x];
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(ring_that_never_starts) {
  Buffer<int> out(kTile), in(6 * kTile, 1);
  ring_that_never_starts<<<1, kTile + 32>>>(out, in, 6);
  finish();
}

// expect: hang
// wrong: the mbarrier counts the arrivals of all consumers, and one of them arrives.
// cure:  mbarrier_init(&empty[i], 1).
__global__ void too_few_arrive(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], kTile);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);  // <- hang
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);  // <- hang
    sum += tile[k % 2][threadIdx.x];
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(one_arrives_for_all) {
  Buffer<int> out(kTile), in(6 * kTile, 1);
  too_few_arrive<<<1, kTile + 32>>>(out, in, 6);
  finish();
}

// expect: use-after-free shared
// wrong: the block leaves while the copy may still read its shared memory.
// cure:  bulk_wait_read<0>() by the thread that made the copy.
__global__ void leaves_at_once(int* out) {
  __shared__ alignas(128) int tile[kTile];
  tile[threadIdx.x] = threadIdx.x;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out + blockIdx.x * kTile, tile, sizeof tile);  // <- use-after-free
    bulk_commit();
  }
}
CASE(block_leaves_before_its_store) {
  Buffer<int> out(4 * kTile);
  leaves_at_once<<<4, kTile>>>(out);
  finish();
}

// expect: use-after-free shared
// wrong: another thread waits than the one that made the copy: bulk groups are a thread's own.
// cure:  the wait by thread 0.
__global__ void another_waits(int* out) {
  __shared__ alignas(128) int tile[kTile];
  tile[threadIdx.x] = threadIdx.x;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) bulk_store(out, tile, sizeof tile), bulk_commit();  // <- use-after-free
  if (threadIdx.x == 32) bulk_wait_read<0>();
}
CASE(another_thread_waits_for_the_store) {
  Buffer<int> out(kTile);
  another_waits<<<1, kTile>>>(out);
  finish();
}

// expect: race shared
// wrong: the next tile is stored while the copy still reads the one before.
// cure:  bulk_wait_read<0>() and a barrier before the stores.
__global__ void stored_again(int* out, int turns) {
  __shared__ alignas(128) int tile[kTile];
  for (int k = 0; k < turns; ++k) {
    tile[threadIdx.x] = k;  // <- race
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk_store(out + k * kTile, tile, sizeof tile);  // <- race
      bulk_commit();
      bulk_wait_read<1>();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) bulk_wait<0>();
}
CASE(tile_stored_again_beside_its_copy) {
  Buffer<int> out(4 * kTile);
  stored_again<<<1, kTile>>>(out, 4);
  finish();
}

// expect: mask
// wrong: one warp of the warpgroup gives registers back, and setmaxnreg is for all four.
// cure:  all four warps.
__global__ void __launch_bounds__(256, 1) one_warp_gives_back(int* out) {
  if (threadIdx.x < 32) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");  // <- mask
  out[threadIdx.x] = 1;
}
CASE(registers_of_one_warp) {
  Buffer<int> out(256);
  one_warp_gives_back<<<1, 256>>>(out);
  finish();
}

// expect: launch
// wrong: 80 + 2 * 224 registers a thread are more than three times the 168 that there are.
// cure:  the producers give back more: 40 and 232, or 24 and 240.
__global__ void __launch_bounds__(384, 1) too_many_registers(int* out) {
  if (threadIdx.x < 128)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 80;");
  else
    asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");  // <- launch
  out[threadIdx.x] = 1;
}
CASE(more_registers_than_there_are) {
  Buffer<int> out(384);
  too_many_registers<<<1, 384>>>(out);
  finish();
}
