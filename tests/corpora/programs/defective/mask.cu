// Warp intrinsics whose mask does not say who takes part.
#include "../case.h"

constexpr unsigned kAll = 0xffffffffu;

// expect: mask
// wrong: lanes 16 to 31 call the shuffle and are not in the mask they give.
// cure:  name every lane that calls it.
__global__ void half_mask(int* out, const int* in) {
  const int lane = threadIdx.x;
  out[lane] = __shfl_sync(0x0000ffffu, in[lane], 0);  // <- mask
}
CASE(lane_not_in_its_own_mask) {
  Buffer<int> out(32), in(32, 0, 1);
  half_mask<<<1, 32>>>(out, in);
  finish();
}

// expect: mask
// wrong: lanes 20 to 31 have returned, and the mask names them.
// cure:  let all lanes reach the shuffle, with a neutral value beyond the end.
__global__ void sum_after_return(int* out, const int* in, int n) {
  const int lane = threadIdx.x;
  if (lane >= n) return;
  int sum = in[lane];
  for (int h = 16; h > 0; h /= 2) {
    sum += __shfl_down_sync(kAll, sum, h);  // <- mask
  }
  if (lane == 0) *out = sum;
}
CASE(lanes_that_have_returned) {
  Buffer<int> out(1), in(32, 0, 1);
  sum_after_return<<<1, 32>>>(out, in, 20);
  finish();
}

// expect: mask
// wrong: only lanes with a positive value reach the shuffle; the mask names all.
// cure:  shuffle outside the branch.
__global__ void neighbour_of_positive(int* out, const int* in) {
  const int lane = threadIdx.x;
  int x = in[lane];
  if (x > 0) {
    x += __shfl_xor_sync(kAll, x, 1);  // <- mask
  }
  out[lane] = x;
}
CASE(full_mask_in_a_branch) {
  Buffer<int> out(32), in(32, -7, 1);
  neighbour_of_positive<<<1, 32>>>(out, in);
  finish();
}

// expect: mask
// wrong: the ballot that is to find out who is here names lanes that are not.
// cure:  take the ballot before the branch, of its condition.
__global__ void rank_of_selected(int* out, const int* in) {
  const int lane = threadIdx.x;
  if (in[lane] % 3 == 0) {
    const unsigned here = __ballot_sync(kAll, true);  // <- mask
    out[lane] = __popc(here & ((1u << lane) - 1));
  }
}
CASE(ballot_inside_the_branch) {
  Buffer<int> out(32), in(32, 0, 1);
  rank_of_selected<<<1, 32>>>(out, in);
  finish();
}

// expect: mask
// wrong: sixteen lanes wait for thirty-two.
// cure:  __syncwarp(0x0000ffff), or move it out of the if.
__global__ void half_waits(int* out, const int* in) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  if (lane < 16) {
    s[lane] = in[lane];
    __syncwarp();  // <- mask
    out[lane] = s[15 - lane];
  }
}
CASE(warp_barrier_in_a_branch) {
  Buffer<int> out(32), in(32, 0, 1);
  half_waits<<<1, 32>>>(out, in);
  finish();
}

// expect: mask
// wrong: lane 20 is asked for its value and takes no part.
// cure:  shuffle from a lane of the mask.
__global__ void from_outside(int* out, const int* in) {
  const int lane = threadIdx.x;
  int x = in[lane];
  if (lane < 16) {
    x = __shfl_sync(0x0000ffffu, x, 20);  // <- mask
  }
  out[lane] = x;
}
CASE(source_outside_the_mask) {
  Buffer<int> out(32), in(32, 0, 1);
  from_outside<<<1, 32>>>(out, in);
  finish();
}

// expect: mask
// wrong: lanes 0 to 15 read from lanes 16 to 31, which a block of 16 threads does not have.
// cure:  start at half of the threads there are.
__global__ void sum_of_few(int* out, const int* in) {
  int sum = in[threadIdx.x];
  for (int h = 16; h > 0; h /= 2) {
    sum += __shfl_down_sync(kAll, sum, h);  // <- mask
  }
  if (threadIdx.x == 0) *out = sum;
}
CASE(lanes_that_never_were) {
  Buffer<int> out(1), in(32, 0, 1);
  sum_of_few<<<1, 16>>>(out, in);
  finish();
}

// expect: mask
// wrong: two shuffles in two branches, each naming all lanes; no lane executes both.
// cure:  one shuffle before the branch.
__global__ void two_branches(int* out, const int* in) {
  const int lane = threadIdx.x;
  int x = in[lane];
  if (lane % 2 == 0) {
    x += __shfl_down_sync(kAll, x, 1);  // <- mask
  } else {
    x -= __shfl_up_sync(kAll, x, 1);  // <- mask
  }
  out[lane] = x;
}
CASE(one_shuffle_in_each_branch) {
  Buffer<int> out(32), in(32, 0, 1);
  two_branches<<<1, 32>>>(out, in);
  finish();
}

// expect: mask
// wrong: in the last round of the loop only eight lanes are left.
// cure:  as many rounds for all lanes, with a neutral value beyond the end.
__global__ void pairs_in_a_loop(int* out, const int* in, int n) {
  for (int i = threadIdx.x; i < n; i += 32) {
    out[i] = in[i] + __shfl_xor_sync(kAll, in[i], 1);  // <- mask
  }
}
CASE(ragged_loop) {
  Buffer<int> out(40), in(40, 0, 1);
  pairs_in_a_loop<<<1, 32>>>(out, in, 40);
  finish();
}

// expect: mask
// wrong: the mask was taken before the branch, of all lanes.
// cure:  __ballot_sync(kAll, lane < 8) before the branch.
__global__ void stale_mask(int* out, const int* in) {
  const int lane = threadIdx.x;
  const unsigned mask = __ballot_sync(kAll, in[lane] >= 0);
  if (lane < 8) {
    out[lane] = __reduce_max_sync(mask, in[lane]);  // <- mask
  }
}
CASE(mask_taken_before_the_branch) {
  Buffer<int> out(32), in(32, 0, 1);
  stale_mask<<<1, 32>>>(out, in);
  finish();
}
