// Correct: lanes of one warp, with masks that say who takes part.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../case.h"

namespace cg = cooperative_groups;

constexpr unsigned kAll = 0xffffffffu;

// Half a warp, and the mask says so.
__global__ void half_warp(int* out, const int* in) {
  const int lane = threadIdx.x;
  int x = in[lane];
  if (lane < 16) {
    for (int h = 8; h > 0; h /= 2) x += __shfl_xor_sync(0x0000ffffu, x, h);
  }
  out[lane] = x;
}
CASE(partial_mask) {
  Buffer<int> out(32), in(32, 0, 1);
  half_warp<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[3] == 120 && out.host()[16] == 16);
}

// Two halves in two branches, each with its own mask.
__global__ void two_halves(int* out, const int* in) {
  const int lane = threadIdx.x;
  int x = in[lane];
  if (lane < 16) {
    x += __shfl_xor_sync(0x0000ffffu, x, 1);
  } else {
    x -= __shfl_xor_sync(0xffff0000u, x, 1);
  }
  out[lane] = x;
}
CASE(a_mask_for_each_branch) {
  Buffer<int> out(32), in(32, 0, 1);
  two_halves<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 1 && out.host()[16] == -1);
}

// All lanes vote on who is inside before the branch is taken.
__global__ void ragged_sum(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned inside = __ballot_sync(kAll, i < n);
  if (i < n) {
    const int sum = __reduce_add_sync(inside, in[i]);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
  }
}
CASE(mask_made_by_ballot) {
  Buffer<int> out(1), in(77, 1);
  ragged_sum<<<2, 64>>>(out, in, 77);
  finish();
  CHECK_THAT(out.host()[0] == 77);
}

// The last warp of the block has 16 threads and names 16.
__global__ void warp_and_a_half(int* out, const int* in) {
  const int t = threadIdx.x;
  const unsigned mask = t < 32 ? kAll : 0x0000ffffu;
  out[t] = __shfl_sync(mask, in[t], 5);
}
CASE(block_of_48) {
  Buffer<int> out(48), in(48, 0, 1);
  warp_and_a_half<<<1, 48>>>(out, in);
  finish();
  CHECK_THAT(out.host()[31] == 5 && out.host()[32] == 37);
}

// One atomic for all lanes that are here, whoever they are.
__global__ void keep_even(int* out, int* count, const int* in) {
  const int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (x % 2 == 0) {
    const cg::coalesced_group here = cg::coalesced_threads();
    int first = 0;
    if (here.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(here.size()));
    out[here.shfl(first, 0) + here.thread_rank()] = x;
  }
}
CASE(aggregated_atomics) {
  Buffer<int> out(128), count(1), in(256, 0, 1);
  keep_even<<<4, 64>>>(out, count, in);
  finish();
  CHECK_THAT(count.host()[0] == 128);
}

// Lanes with the same key find each other; one of them adds for all.
__global__ void count_keys(int* bins, const int* in) {
  const int key = in[threadIdx.x] % 5;
  const unsigned peers = __match_any_sync(kAll, key);
  const int lane = threadIdx.x % 32;
  if (lane == __ffs(peers) - 1) atomicAdd(&bins[key], __popc(peers));
}
CASE(match_any) {
  Buffer<int> bins(5), in(64, 0, 1);
  count_keys<<<1, 64>>>(bins, in);
  finish();
  CHECK_THAT(bins.host()[0] == 13 && bins.host()[4] == 12);
}

// Reductions in one instruction; in the branch with the mask of those who are in it.
__global__ void reductions(int* out, const int* in) {
  const int lane = threadIdx.x, x = in[lane];
  const int sum = __reduce_add_sync(kAll, x);
  const unsigned odd = __ballot_sync(kAll, x % 2 != 0);
  if (x % 2 != 0) {
    out[lane] = sum + __reduce_max_sync(odd, x);
  } else {
    out[lane] = sum + __reduce_min_sync(~odd, x);
  }
}
CASE(reductions_under_masks) {
  Buffer<int> out(32), in(32, 0, 1);
  reductions<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[1] == 496 + 31 && out.host()[2] == 496);
}

// Every lane takes the lock by itself. Since Volta the lanes that wait do not keep the holder from going on.
__global__ void lock_per_lane(int* total, int* lock, const int* in) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *total += in[blockIdx.x * blockDim.x + threadIdx.x];
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
CASE(spin_lock_per_lane) {
  Buffer<int> total(1), lock(1), in(64, 1);
  lock_per_lane<<<2, 32>>>(total, lock, in);
  finish();
  CHECK_THAT(total.host()[0] == 64);
}

// Tiles of eight lanes, each with eight elements of shared memory.
__global__ void tiles_of_eight(int* out, const int* in) {
  __shared__ int s[128];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int* mine = s + tile.meta_group_rank() * 8;
  mine[tile.thread_rank()] = in[threadIdx.x];
  tile.sync();
  const int other = mine[7 - tile.thread_rank()];
  out[threadIdx.x] = other + cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
}
CASE(tiles) {
  Buffer<int> out(128), in(128, 0, 1);
  tiles_of_eight<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 7 + 28);
}

// Only some tiles work; a tile's own mask leaves the rest of the warp out.
__global__ void some_tiles(int* out, const int* in) {
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  if (tile.meta_group_rank() % 3 == 0) {
    int x = in[threadIdx.x];
    for (int h = 2; h > 0; h /= 2) x += tile.shfl_down(x, h);
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = x;
  }
}
CASE(some_tiles_of_a_warp) {
  Buffer<int> out(16), in(64, 0, 1);
  some_tiles<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 6 && out.host()[3] == 54);
}

// A width below 32 shuffles within parts of the warp; all lanes take part.
__global__ void narrow_shuffle(int* out, const int* in) {
  const int lane = threadIdx.x;
  out[lane] = __shfl_down_sync(kAll, in[lane], 3, 8) + __shfl_sync(kAll, in[lane], 2, 4);
}
CASE(shuffle_of_a_width) {
  Buffer<int> out(32), in(32, 0, 1);
  narrow_shuffle<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 3 + 2 && out.host()[31] == 31 + 30);
}

// All lanes go round together until a vote ends the loop.
__global__ void until_all_are_done(int* out, const int* in) {
  int x = in[threadIdx.x], rounds = 0;
  while (__any_sync(kAll, x > 1)) {
    if (x > 1) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    ++rounds;
  }
  out[threadIdx.x] = rounds;
}
CASE(loop_ended_by_vote) {
  Buffer<int> out(32), in(32, 1, 1);
  until_all_are_done<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 111);
}

// As many rounds for all lanes; beyond the end they carry a zero.
__global__ void pairs(int* out, const int* in, int n) {
  const int rounds = (n + 31) / 32;
  for (int k = 0; k < rounds; ++k) {
    const int i = k * 32 + threadIdx.x;
    const int x = i < n ? in[i] : 0;
    const int sum = x + __shfl_xor_sync(kAll, x, 1);
    if (i < n) out[i] = sum;
  }
}
CASE(ragged_loop_with_all_lanes) {
  Buffer<int> out(41), in(41, 0, 1);
  pairs<<<1, 32>>>(out, in, 41);
  finish();
  CHECK_THAT(out.host()[40] == 40 && out.host()[39] == 77);
}

// A block of 16 threads names all 32 lanes: it votes, and shuffles among those there are.
__global__ void half_a_warp(int* out) {
  const int lane = threadIdx.x;
  const unsigned odd = __ballot_sync(0xffffffffu, lane % 2 == 1);
  int sum = lane + __shfl_xor_sync(0xffffffffu, lane, 8);
  sum += __shfl_down_sync(0xffffffffu, lane, 1, 8);
  sum += __shfl_sync(0xffffffffu, lane, 2, 8);
  out[lane] = sum + (__all_sync(0xffffffffu, lane < 16) ? 0 : 1000) + __popc(odd);
}
CASE(all_lanes_named_by_half_a_warp) {
  Buffer<int> out(16);
  half_a_warp<<<1, 16>>>(out);
  finish();
  CHECK_THAT(out.host()[9] == 9 + 1 + 10 + 10 + 8);
}
