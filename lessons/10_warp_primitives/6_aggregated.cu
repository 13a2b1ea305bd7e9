// Rung 6: the lanes that want the same counter, and are here together, use one atomic addition.
#include "warp_primitives.h"

constexpr int kWarp = 32;                   // lanes of a warp
constexpr int kBlock = 8 * kWarp;           // threads a block: eight points
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// A warp takes a point, each of its lanes a neighbour.
__global__ void look_around_kernel(Findings out, const int* points, const int* offsets, const int* field,
                                   std::int64_t count, int side) {
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
  if (i >= count) return;  // the whole warp: i is the same in all its lanes
  const int lane = threadIdx.x % kWarp;

  const int coordinate = lane < 3 ? points[3 * i + lane] : 0;  // one load: lanes 0, 1, 2 have x, y, z
  const int x = __shfl_sync(kAllLanes, coordinate, 0);
  const int y = __shfl_sync(kAllLanes, coordinate, 1);
  const int z = __shfl_sync(kAllLanes, coordinate, 2);
  const Place p = {x + offsets[3 * lane], y + offsets[3 * lane + 1], z + offsets[3 * lane + 2]};

  // A point's 32 neighbours are 96 numbers in a row in memory: three stores of the whole warp.
#pragma unroll
  for (int first = 0; first < 3 * kNeighbours; first += kWarp) {
    const int place = first + lane;  // of the 96: coordinate place % 3 of neighbour place / 3
    const int from = place / 3, axis = place % 3;
    const int from_x = __shfl_sync(kAllLanes, p.x, from);
    const int from_y = __shfl_sync(kAllLanes, p.y, from);
    const int from_z = __shfl_sync(kAllLanes, p.z, from);
    out.neighbours[i * 3 * kNeighbours + place] = axis == 0 ? from_x : axis == 1 ? from_y : from_z;
  }

  const bool inside = in_box(p, side);
  const int value = inside ? field[number_of(p, side)] : 0;

  const unsigned voters = __ballot_sync(kAllLanes, inside);
  if (lane == 0) out.inside[i] = voters;

  int sum = value;
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(kAllLanes, sum, mask);
  if (lane == 0) out.sum[i] = sum;

  unsigned mates = 0;
  if (inside) mates = __match_any_sync(voters, cell_of(p, side));
  out.mates[i * kNeighbours + lane] = mates;

  // TODO(1): of the lanes whose value is below 0 find out who has the same cell: __activemask() tells which
  //          are here now. The lowest of those is their leader, and adds to the cell's counter 1 for each of
  //          them (6 lines). __ffs() finds the lowest bit, counting from 1; __popc() counts bits.
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
