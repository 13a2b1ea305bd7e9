// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kNeighbours = 32;  // of every point: as many as a warp has lanes

/// A place in a box of side * side * side places.
struct Place {
  int x, y, z;
};

/// Whether a place is within the box, in which each coordinate runs from 0 to side - 1.
__host__ __device__ inline bool in_box(Place p, int side) {
  return p.x >= 0 && p.x < side && p.y >= 0 && p.y < side && p.z >= 0 && p.z < side;
}

/// The number of a place that is in the box, x fastest.
__host__ __device__ inline int number_of(Place p, int side) { return (p.z * side + p.y) * side + p.x; }

/// How many cells of 4 x 4 x 4 places there are, those at the far sides not always whole.
__host__ __device__ inline int count_of_cells(int side) {
  const int cells = (side + 3) / 4;
  return cells * cells * cells;
}

/// The number of the cell of 4 x 4 x 4 places that a place of the box belongs to.
__host__ __device__ inline int cell_of(Place p, int side) {
  const int cells = (side + 3) / 4;
  return number_of({p.x / 4, p.y / 4, p.z / 4}, cells);
}

/// Neighbour k of a point: each of @p point and @p offsets[k] is x, y, z.
__host__ __device__ inline Place neighbour_of(const int* point, const int* offsets, int k) {
  return {point[0] + offsets[3 * k], point[1] + offsets[3 * k + 1], point[2] + offsets[3 * k + 2]};
}

/// What is found out about the points; all on the device, contents undefined before.
struct Findings {
  int* neighbours;     ///< [points][kNeighbours][3]: x, y, z of each neighbour, in the box or not
  unsigned* inside;    ///< [points]: bit k is set if neighbour k is in the box
  int* sum;            ///< [points]: of the field's values at the neighbours that are in the box
  unsigned* mates;     ///< [points][kNeighbours]: for a neighbour in the box, a bit for each neighbour of
                       ///< the same point in the same cell, itself included; else 0
  unsigned* negative;  ///< [count_of_cells(side)]: how often a neighbour of any point is in that cell, at a
                       ///< place where the field is below 0
};

/// Looks at the 32 neighbours of each point: neighbour k of a point is the point plus offset k.
///
/// @param[out] out      see Findings
/// @param[in]  points   device, int [count][3]: x, y, z of each point, in the box
/// @param[in]  offsets  device, int [kNeighbours][3], between -1000 and 1000
/// @param[in]  field    device, int [side][side][side], x fastest
/// @param      count    points, >= 0
/// @param      side     of the box, 1 to 512
/// @return cudaSuccess, or the first error of a launch or a memset
/// @note Reads 12 bytes a point, writes 520.
cudaError_t look_around(Findings out, const int* points, const int* offsets, const int* field,
                        std::int64_t count, int side);
