// Rung 7: the same with cooperative groups: a group is an object, and its mask is its own business.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "warp_primitives.h"

namespace cg = cooperative_groups;

constexpr int kWarp = 32;          // lanes of a warp
constexpr int kBlock = 8 * kWarp;  // threads a block: eight points

/// A warp takes a point, each of its lanes a neighbour.
__global__ void look_around_kernel(Findings out, const int* points, const int* offsets, const int* field,
                                   std::int64_t count, int side) {
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
  if (i >= count) return;  // the whole warp: i is the same in all its lanes

  // TODO(1): make the group `warp`, the part of cg::this_thread_block() of kWarp threads that this one
  //          belongs to, by cg::tiled_partition; `lane` is its thread_rank(). Then find p as in rung 6: its
  //          member shfl(value, k) needs no mask (7 lines).
  // BEGIN SOLUTION
  const auto warp = cg::tiled_partition<kWarp>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());

  const int coordinate = lane < 3 ? points[3 * i + lane] : 0;  // one load: lanes 0, 1, 2 have x, y, z
  const int x = warp.shfl(coordinate, 0);
  const int y = warp.shfl(coordinate, 1);
  const int z = warp.shfl(coordinate, 2);
  const Place p = {x + offsets[3 * lane], y + offsets[3 * lane + 1], z + offsets[3 * lane + 2]};
  // END SOLUTION

  // TODO(2): store the 96 numbers as in rung 6, by shuffles of the group (9 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int first = 0; first < 3 * kNeighbours; first += kWarp) {
    const int place = first + lane;  // of the 96: coordinate place % 3 of neighbour place / 3
    const int from = place / 3, axis = place % 3;
    const int from_x = warp.shfl(p.x, from);
    const int from_y = warp.shfl(p.y, from);
    const int from_z = warp.shfl(p.z, from);
    out.neighbours[i * 3 * kNeighbours + place] = axis == 0 ? from_x : axis == 1 ? from_y : from_z;
  }
  // END SOLUTION

  // TODO(3): whether this lane's neighbour is inside, its value, and the vote: the group has a member ballot
  //          (4 lines).
  // BEGIN SOLUTION
  const bool inside = in_box(p, side);
  const int value = inside ? field[number_of(p, side)] : 0;

  const unsigned voters = warp.ballot(inside);
  if (lane == 0) out.inside[i] = voters;
  // END SOLUTION

  // TODO(4): cg::reduce(group, value, cg::plus<int>()) does what the butterfly did; one lane stores the sum
  //          (2 lines).
  // BEGIN SOLUTION
  const int sum = cg::reduce(warp, value, cg::plus<int>());
  if (lane == 0) out.sum[i] = sum;
  // END SOLUTION

  // TODO(5): the mates as in rung 5, with the mask that the vote gave: groups have no match (3 lines).
  // BEGIN SOLUTION
  unsigned mates = 0;
  if (inside) mates = __match_any_sync(voters, cell_of(p, side));
  out.mates[i * kNeighbours + lane] = mates;
  // END SOLUTION

  // TODO(6): of the lanes whose value is below 0, cg::coalesced_threads() is the group of those who are here
  //          now, and cg::labeled_partition(group, cell) the part of it with the same cell. Let the one with
  //          rank 0 in that add 1 for each of them, num_threads() in all (5 lines).
  // BEGIN SOLUTION
  if (value < 0) {
    const int cell = cell_of(p, side);
    const auto peers = cg::labeled_partition(cg::coalesced_threads(), cell);
    if (peers.thread_rank() == 0) atomicAdd(&out.negative[cell], static_cast<unsigned>(peers.num_threads()));
  }
  // END SOLUTION
}

cudaError_t look_around(Findings out, const int* points, const int* offsets, const int* field,
                        std::int64_t count, int side) {
  const std::size_t cells = static_cast<std::size_t>(count_of_cells(side));
  const cudaError_t error = cudaMemsetAsync(out.negative, 0, cells * sizeof(*out.negative));
  if (error != cudaSuccess || count == 0) return error;
  const std::int64_t a_block = kBlock / kWarp;  // points
  const unsigned blocks = static_cast<unsigned>((count + a_block - 1) / a_block);
  look_around_kernel<<<blocks, kBlock>>>(out, points, offsets, field, count, side);
  return cudaGetLastError();
}
