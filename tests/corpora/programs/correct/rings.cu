// arch: 90a
// Correct: rings of stages between warps with roles, in ways that look as if they could go wrong.
#include "../bulk.h"
#include "../case.h"

constexpr int kTile = 128;  // words; as many consumers, and a warp behind them that copies

template <int kStages>
__device__ void init_ring(std::uint64_t (&full)[kStages], std::uint64_t (&empty)[kStages], int arrivals,
                          int full_arrivals = 1) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i)
      mbarrier_init(&full[i], full_arrivals), mbarrier_init(&empty[i], arrivals);
    fence_mbarrier_init();
  }
  __syncthreads();
}

// The copy is ordered before its bytes are announced: the phase cannot end before the one arrival.
__global__ void announced_behind(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    sum += tile[k % 2][threadIdx.x];
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(bytes_announced_behind_their_copy) {
  Buffer<int> out(kTile), in(7 * kTile, 1);
  announced_behind<<<1, kTile + 32>>>(out, in, 7);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 7);
}

// Two copies fill a stage, announced together.
__global__ void two_copies(int* out, const int* a, const int* b, int turns) {
  __shared__ alignas(128) int left[2][kTile], right[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof left[0] + sizeof right[0]);
      bulk_load(left[k % 2], a + k * kTile, sizeof left[0], &full[k % 2]);
      bulk_load(right[k % 2], b + k * kTile, sizeof right[0], &full[k % 2]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    sum += left[k % 2][threadIdx.x] * right[k % 2][kTile - 1 - threadIdx.x];
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(two_copies_to_a_stage) {
  Buffer<int> out(kTile), a(5 * kTile, 2), b(5 * kTile, 3);
  two_copies<<<1, kTile + 32>>>(out, a, b, 5);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 30);
}

// Two producer threads of different warps fill halves of a stage: two arrivals, each with its bytes.
__global__ void two_producers(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile, 2);
  if (threadIdx.x >= kTile) {
    if (threadIdx.x % 32 != 0) return;
    const int half = (threadIdx.x - kTile) / 32 * (kTile / 2);
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0] / 2);
      bulk_load(tile[k % 2] + half, in + k * kTile + half, sizeof tile[0] / 2, &full[k % 2]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    sum += tile[k % 2][kTile - 1 - threadIdx.x];
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(two_producers_of_a_stage) {
  Buffer<int> out(kTile), in(5 * kTile, 1);
  two_producers<<<1, kTile + 64>>>(out, in, 5);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 5);
}

// Consumers that look, and do something else meanwhile.
__global__ void looks(int* out, const int* in, int turns) {
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
  int sum = 0, idle = 0;
  for (int k = 0; k < turns; ++k) {
    while (!mbarrier_test(&full[k % 2], k / 2 % 2)) ++idle;
    sum += tile[k % 2][threadIdx.x];
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = idle < 0 ? 0 : sum;
}
CASE(consumers_that_look_by_test_wait) {
  Buffer<int> out(kTile), in(5 * kTile, 1);
  looks<<<1, kTile + 32>>>(out, in, 5);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 5);
}

// Half of the consumers need fewer turns: they leave the count of each stage as they go.
__global__ void half_leaves(int* out, const int* in, int turns) {
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
  const int mine = threadIdx.x < kTile / 2 ? turns / 2 : turns;
  int sum = 0;
  for (int k = 0; k < mine; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    sum += tile[k % 2][threadIdx.x];
    if (mine < turns && k + 2 >= mine)
      mbarrier_arrive_drop(&empty[k % 2]);
    else
      mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(consumers_that_leave_the_count) {
  Buffer<int> out(kTile), in(8 * kTile, 1);
  half_leaves<<<1, kTile + 32>>>(out, in, 8);
  finish();
  const std::vector<int> sums = out.host();
  for (int i = 0; i < kTile; ++i) CHECK_THAT(sums[i] == (i < kTile / 2 ? 4 : 8));
}

// Threads copy by cp.async, and their copies arrive when they are done.
__global__ void by_all_lanes(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  init_ring(full, empty, kTile, 32);
  if (threadIdx.x >= kTile) {
    const int lane = threadIdx.x - kTile;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile[k % 2][4 * lane])),
                   "l"(in + k * kTile + 4 * lane)
                   : "memory");
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&full[k % 2]))
                   : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    sum += tile[k % 2][kTile - 1 - threadIdx.x];
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(copies_of_lanes_that_arrive) {
  Buffer<int> out(kTile), in(5 * kTile, 1);
  by_all_lanes<<<1, kTile + 32>>>(out, in, 5);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 5);
}

// In place: the consumers overwrite the tile, fence, and a bulk copy stores it; the stage is free when that
// has read it.
__global__ void in_place(int* out, const int* in, int turns) {
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
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    tile[k % 2][threadIdx.x] += k;
    fence_proxy();
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
      bulk_store(out + k * kTile, tile[k % 2], sizeof tile[0]);
      bulk_commit();
      bulk_wait_read<0>();
      mbarrier_arrive(&empty[k % 2]);
    }
  }
}
CASE(tiles_changed_in_place) {
  Buffer<int> out(6 * kTile), in(6 * kTile, 1);
  in_place<<<1, kTile + 32>>>(out, in, 6);
  finish();
  const std::vector<int> result = out.host();
  for (int i = 0; i < 6 * kTile; ++i) CHECK_THAT(result[i] == 1 + i / kTile);
}

// A chain of three roles: copies, adds, stores, with a ring between each two.
__global__ void three_roles(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile], sums[2][kTile];
  __shared__ std::uint64_t full[2], empty[2], done[2], stored[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], kTile);
      mbarrier_init(&done[i], kTile), mbarrier_init(&stored[i], 1);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  const int role = threadIdx.x / kTile * 2 + (threadIdx.x >= kTile + 32);
  if (role == 2 && threadIdx.x == kTile) {
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
    }
  } else if (role == 3 && threadIdx.x == kTile + 32) {
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&done[k % 2], k / 2 % 2);
      bulk_store(out + k * kTile, sums[k % 2], sizeof sums[0]);
      bulk_commit();
      bulk_wait_read<0>();
      mbarrier_arrive(&stored[k % 2]);
    }
  } else if (role == 0) {
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&full[k % 2], k / 2 % 2);
      const int value = tile[k % 2][kTile - 1 - threadIdx.x] + 1;
      mbarrier_arrive(&empty[k % 2]);
      mbarrier_wait(&stored[k % 2], (k / 2 + 1) % 2);
      sums[k % 2][threadIdx.x] = value;
      fence_proxy();
      mbarrier_arrive(&done[k % 2]);
    }
  }
}
CASE(three_roles_in_a_chain) {
  Buffer<int> out(6 * kTile), in(6 * kTile, 1);
  three_roles<<<1, kTile + 64>>>(out, in, 6);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 2);
}
