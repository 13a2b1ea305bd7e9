// Rung 7, a blank page: a box cut out of a volume. See blank_page.h.
#include <algorithm>

#include "blank_page.h"

// TODO(1): write crop() and its kernel (some 25 lines). Which threads should be neighbours in memory, and in
//          which of the two volumes?
// BEGIN SOLUTION
constexpr dim3 kBlock(32, 4, 2);         // a warp is 32 threads along x: a piece of a row of both volumes
constexpr unsigned kMaxGridYZ = 65'535;  // blocks a grid has in y, or in z, at most

__global__ void crop_kernel(float* out, const float* in, Extent of, Extent box, Extent at) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= box.x) return;
  for (int z = blockIdx.z * blockDim.z + threadIdx.z; z < box.z; z += gridDim.z * blockDim.z)
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < box.y; y += gridDim.y * blockDim.y) {
      const std::int64_t to = (static_cast<std::int64_t>(z) * box.y + y) * box.x + x;
      const std::int64_t from = (static_cast<std::int64_t>(z + at.z) * of.y + y + at.y) * of.x + x + at.x;
      out[to] = in[from];
    }
}

cudaError_t crop(float* out, const float* in, Extent of, Extent box, Extent at) {
  if (box.x == 0 || box.y == 0 || box.z == 0) return cudaSuccess;
  const auto blocks = [](int extent, unsigned block) { return (extent + block - 1) / block; };
  const dim3 grid(blocks(box.x, kBlock.x), std::min(blocks(box.y, kBlock.y), kMaxGridYZ),
                  std::min(blocks(box.z, kBlock.z), kMaxGridYZ));
  crop_kernel<<<grid, kBlock>>>(out, in, of, box, at);
  return cudaGetLastError();
}
// END SOLUTION
