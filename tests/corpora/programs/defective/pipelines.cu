// arch: 90a
// Rings of stages between warps with roles, whose two sides do not fit together.
#include "../bulk.h"
#include "../case.h"

constexpr int kTile = 128;  // words; as many consumers, and a warp behind them that copies

/// Mbarriers of a ring: full[i] counts one arrival and bytes, empty[i] as many arrivals as are said.
template <int kStages>
__device__ void init_ring(std::uint64_t (&full)[kStages], std::uint64_t (&empty)[kStages], int arrivals) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], arrivals);
    fence_mbarrier_init();
  }
  __syncthreads();
}

// expect: race|hang
// wrong: the consumers' parity changes with every tile, and the mbarriers' with every second.
// cure:  k / 2 % 2.
__global__ void parity_of_the_tile(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);  // <- hang
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);  // <- race
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k % 2);  // <- hang
    sum += tile[k % 2][threadIdx.x];     // <- race
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(parity_that_changes_with_every_tile) {
  Buffer<int> out(kTile), in(6 * kTile, 1);
  parity_of_the_tile<<<1, kTile + 32>>>(out, in, 6);
  finish();
}

// expect: race shared
// wrong: a stage is freed before it is read.
// cure:  the arrival behind the read.
__global__ void frees_first(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);  // <- race
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    mbarrier_arrive(&empty[k % 2]);
    sum += tile[k % 2][threadIdx.x];  // <- race
  }
  out[threadIdx.x] = sum;
}
CASE(stage_freed_before_the_read) {
  Buffer<int> out(kTile), in(6 * kTile, 1);
  frees_first<<<1, kTile + 32>>>(out, in, 6);
  finish();
}

// expect: race|hang
// wrong: the producer never waits for a stage to be free.
// cure:  mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2) in front of the copy.
__global__ void waits_for_nobody(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      if (k >= 2) mbarrier_wait(&full[k % 2], (k / 2 + 1) % 2);  // its own copy is there: nobody has read it
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);  // <- race
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);  // <- hang
    sum += tile[k % 2][threadIdx.x];         // <- race
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(producer_that_waits_for_its_copies_alone) {
  Buffer<int> out(kTile), in(4 * kTile, 1);
  waits_for_nobody<<<1, kTile + 32>>>(out, in, 4);
  finish();
}

// expect: race|hang
// wrong: the first turn has no wait, and the waits behind it are for the turn before: the producer is a turn
// ahead. cure:  (k / 2 + 1) % 2.
__global__ void a_turn_ahead(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      if (k >= 2) mbarrier_wait(&empty[k % 2], k / 2 % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);                         // <- race
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);  // <- race
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);  // <- hang
    sum += tile[k % 2][threadIdx.x];         // <- race
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(producer_a_turn_ahead) {
  Buffer<int> out(kTile), in(4 * kTile, 1);
  a_turn_ahead<<<1, kTile + 32>>>(out, in, 4);
  finish();
}

// expect: barrier shared
// wrong: each turn frees the next one's stage: where the producer is late, that is free twice, and its parity
// as if never. cure:  empty[k % 3].
__global__ void frees_the_next(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[3][kTile];
  __shared__ std::uint64_t full[3], empty[3];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 3], (k / 3 + 1) % 2);  // <- barrier
      mbarrier_expect(&full[k % 3], sizeof tile[0]);
      bulk_load(tile[k % 3], in + k * kTile, sizeof tile[0], &full[k % 3]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 3], k / 3 % 2);
    sum += tile[k % 3][threadIdx.x];
    mbarrier_arrive(&empty[(k + 1) % 3]);
  }
  out[threadIdx.x] = sum;
}
CASE(stage_freed_by_the_turn_before) {
  Buffer<int> out(kTile), in(7 * kTile, 1);
  frees_the_next<<<1, kTile + 32>>>(out, in, 7);
  finish();
}

// expect: barrier|hang
// wrong: the consumers arrive at full, where only the producer is counted.
// cure:  mbarrier_arrive(&empty[k % 2]).
__global__ void arrive_at_full(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);  // <- hang
      mbarrier_expect(&full[k % 2], sizeof tile[0]);  // <- barrier
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);  // <- hang
    sum += tile[k % 2][threadIdx.x];
    mbarrier_arrive(&full[k % 2]);  // <- barrier
  }
  out[threadIdx.x] = sum;
}
CASE(consumers_arrive_at_full) {
  Buffer<int> out(kTile), in(7 * kTile, 1);
  arrive_at_full<<<1, kTile + 32>>>(out, in, 7);
  finish();
}

// expect: race|hang
// wrong: the producer arrives without announcing the copy's bytes, so that the phase may end before them.
// cure:  mbarrier_expect(&full, sizeof tile).
__global__ void announces_nothing(int* out, const int* in) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_arrive(&full);
    bulk_load(tile, in, sizeof tile, &full);  // <- race
  }
  mbarrier_wait(&full, 0);               // <- hang
  out[threadIdx.x] = tile[threadIdx.x];  // <- race
}
CASE(bytes_not_announced) {
  Buffer<int> out(kTile), in(kTile, 1);
  announces_nothing<<<1, kTile>>>(out, in);
  finish();
}

// expect: barrier|hang
// wrong: all lanes of the producer's warp announce and copy, where one should.
// cure:  if (threadIdx.x > kTile) return.
__global__ void whole_warp(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);  // <- barrier
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);  // <- hang
    sum += tile[k % 2][threadIdx.x];
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(whole_warp_produces) {
  Buffer<int> out(kTile), in(4 * kTile, 1);
  whole_warp<<<1, kTile + 32>>>(out, in, 4);
  finish();
}

// expect: barrier|hang
// wrong: the consumers' barrier counts the producer's warp, which never comes there.
// cure:  bar.sync 1, 128.
__global__ void counts_all(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, 1);
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
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    sum += tile[k % 2][threadIdx.x];
    asm volatile("bar.sync 1, 160;" ::: "memory");  // <- barrier
    if (threadIdx.x == 0) mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(consumers_barrier_counts_the_producer) {
  Buffer<int> out(kTile), in(4 * kTile, 1);
  counts_all<<<1, kTile + 32>>>(out, in, 4);
  finish();
}

// expect: hang
// wrong: each of the two warps waits for what the other signals behind its own wait.
// cure:  one of them signals first.
__global__ void both_wait_first(int* out) {
  __shared__ std::uint64_t left, right;
  if (threadIdx.x == 0) mbarrier_init(&left, 32), mbarrier_init(&right, 32), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x < 32) {
    mbarrier_wait(&right, 0);  // <- hang
    mbarrier_arrive(&left);
  } else {
    mbarrier_wait(&left, 0);  // <- hang
    mbarrier_arrive(&right);
  }
  out[threadIdx.x] = 1;
}
CASE(both_wait_before_they_signal) {
  Buffer<int> out(64);
  both_wait_first<<<1, 64>>>(out);
  finish();
}

// expect: barrier
// wrong: two groups of consumers free a stage, and the mbarrier counts one arrival.
// cure:  init_ring(full, empty, 2).
__global__ void two_groups_free(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, 1);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
    }
    return;
  }
  const int group = threadIdx.x / 64;
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    sum += tile[k % 2][threadIdx.x];
    asm volatile("bar.sync %0, 64;" ::"r"(1 + group) : "memory");
    if (threadIdx.x % 64 == 0) mbarrier_arrive(&empty[k % 2]);  // <- barrier
  }
  out[threadIdx.x] = sum;
}
CASE(two_groups_free_where_one_counts) {
  Buffer<int> out(kTile), in(2 * kTile, 1);
  two_groups_free<<<1, kTile + 32>>>(out, in, 2);
  finish();
}

// expect: hang|race
// wrong: the turns are counted anew for each tile, and the mbarriers' phases go on: three turns are an odd
// number. cure:  one counter for all tiles.
__global__ void counted_anew(int* out, const int* in, int tiles, int turns) {
  __shared__ alignas(128) int tile[1][kTile];
  __shared__ std::uint64_t full[1], empty[1];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int t = 0; t < tiles; ++t)
      for (int k = 0; k < turns; ++k) {
        mbarrier_wait(&empty[0], (k + 1) % 2);         // <- hang
        mbarrier_expect(&full[0], sizeof tile[0]);     // <- race
        bulk_load(tile[0], in, sizeof tile[0], full);  // <- race
      }
    return;
  }
  for (int t = 0; t < tiles; ++t) {
    int sum = 0;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&full[0], k % 2);  // <- hang
      sum += tile[0][threadIdx.x];     // <- race
      mbarrier_arrive(&empty[0]);
    }
    out[t * kTile + threadIdx.x] = sum;
  }
}
CASE(phases_counted_anew_for_each_tile) {
  Buffer<int> out(4 * kTile), in(kTile, 1);
  counted_anew<<<1, kTile + 32>>>(out, in, 4, 3);
  finish();
}

// expect: hang
// wrong: the consumers take a turn more than the producer.
// cure:  k < turns.
__global__ void a_turn_more(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k <= turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);  // <- hang
    sum += tile[k % 2][threadIdx.x];
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(consumers_take_a_turn_more) {
  Buffer<int> out(kTile), in(5 * kTile, 1);
  a_turn_more<<<1, kTile + 32>>>(out, in, 5);
  finish();
}

// expect: race shared
// wrong: the results are staged in a stage of the ring, into which the next tile's copy is under way.
// cure:  a buffer of its own, or the arrival at empty behind the store.
__global__ void staged_in_the_ring(int* out, const int* in, int tiles) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < tiles; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);  // <- race
    }
    return;
  }
  for (int k = 0; k < tiles; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    const int value = tile[k % 2][threadIdx.x] + 1;
    mbarrier_arrive(&empty[k % 2]);
    tile[k % 2][threadIdx.x] = value;  // <- race
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[k * kTile + threadIdx.x] = tile[k % 2][kTile - 1 - threadIdx.x];  // <- race
    asm volatile("bar.sync 1, 128;" ::: "memory");
  }
}
CASE(results_staged_in_a_freed_stage) {
  Buffer<int> out(6 * kTile), in(6 * kTile, 1);
  staged_in_the_ring<<<1, kTile + 32>>>(out, in, 6);
  finish();
}

// expect: race|barrier
// wrong: the number of the next tile is read from shared memory with no barrier before it is drawn anew.
// cure:  a second barrier behind the read, or two places by turns.
__global__ void drawn_too_early(int* out, int* counter, int tiles) {
  __shared__ int next;
  for (;;) {
    if (threadIdx.x == 0) next = atomicAdd(counter, 1);  // <- race
    __syncthreads();                                     // <- barrier
    const int tile = next;                               // <- race
    if (tile >= tiles) return;
    out[tile * kTile + threadIdx.x] = tile;
  }
}
CASE(next_tile_drawn_too_early) {
  Buffer<int> out(8 * kTile), counter(1);
  drawn_too_early<<<2, kTile>>>(out, counter, 8);
  finish();
}

// expect: race global
// wrong: the block that adds up the parts waits for the counter, and the parts were stored behind it.
// cure:  __threadfence() behind the store and before the counter.
__global__ void fixup_without_a_fence(int* out, int* parts, int* done, int splits) {
  const int split = blockIdx.x;
  parts[split * kTile + threadIdx.x] = split + 1;  // <- race
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(done, 1) == splits - 1;
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (int s = 0; s < splits; ++s) sum += parts[s * kTile + threadIdx.x];  // <- race
  out[threadIdx.x] = sum;
}
CASE(parts_of_a_split_product_without_a_fence) {
  Buffer<int> out(kTile), parts(4 * kTile), done(1);
  fixup_without_a_fence<<<4, kTile>>>(out, parts, done, 4);
  finish();
}
