// Rung 1: 32 threads look at the 32 neighbours of a point, and none of them asks what the others find.
#include "warp_primitives.h"

constexpr int kWarp = 32;          // lanes of a warp
constexpr int kBlock = 8 * kWarp;  // threads a block: eight points

/// A warp takes a point, each of its lanes a neighbour.
__global__ void look_around_kernel(Findings out, const int* points, const int* offsets, const int* field,
                                   std::int64_t count, int side) {
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
  if (i >= count) return;  // the whole warp: i is the same in all its lanes
  const int lane = threadIdx.x % kWarp;

  const Place p = neighbour_of(points + 3 * i, offsets, lane);
  // TODO(1): store the coordinates of this lane's neighbour (3 or 4 lines).

  const bool inside = in_box(p, side);
  const int value = inside ? field[number_of(p, side)] : 0;

  // TODO(2): let lane 0 go through all neighbours once more, make a word of which bit k is set if neighbour k
  //          is in the box, and store it in out.inside[i] (about 7 lines).

  if (lane == 0) {  // and once more
    int sum = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      const Place q = neighbour_of(points + 3 * i, offsets, k);
      if (in_box(q, side)) sum += field[number_of(q, side)];
    }
    out.sum[i] = sum;
  }

  // TODO(3): let every lane go through all neighbours and set bit k of its mates if its own neighbour and
  //          neighbour k are both in the box and in the same cell (about 6 lines). warp_primitives.h has the
  //          functions.

  if (value < 0) atomicAdd(&out.negative[cell_of(p, side)], 1u);  // outside of the box it is 0
}

cudaError_t look_around(Findings out, const int* points, const int* offsets, const int* field,
                        std::int64_t count, int side) {
  const std::size_t cells = static_cast<std::size_t>(count_of_cells(side));
  const cudaError_t error = cudaMemsetAsync(out.negative, 0, cells * sizeof(*out.negative));
  if (error != cudaSuccess || count == 0) return error;
  // TODO(4): launch the kernel with a warp for each point (3 lines). How many points does a block take?
  return cudaGetLastError();
}
