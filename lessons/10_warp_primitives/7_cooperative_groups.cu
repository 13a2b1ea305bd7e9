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

  // TODO(2): store the 96 numbers as in rung 6, by shuffles of the group (9 lines).

  // TODO(3): whether this lane's neighbour is inside, its value, and the vote: the group has a member ballot
  //          (4 lines).

  // TODO(4): cg::reduce(group, value, cg::plus<int>()) does what the butterfly did; one lane stores the sum
  //          (2 lines).

  // TODO(5): the mates as in rung 5, with the mask that the vote gave: groups have no match (3 lines).

  // TODO(6): of the lanes whose value is below 0, cg::coalesced_threads() is the group of those who are here
  //          now, and cg::labeled_partition(group, cell) the part of it with the same cell. Let the one with
  //          rank 0 in that add 1 for each of them, num_threads() in all (5 lines).
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
