// Rung 11: a thread for each plane. Threads that read planes of their own would jump about in memory, so the
// block brings its planes in together, as they lie, and each thread then walks through its own on the chip.
#include <cmath>
#include <cstddef>

#include "conv3d_and_maxpool.h"

constexpr int kThreads = 256, kWarps = kThreads / 32;  // planes of a block
constexpr int kPlanes = 128;                           // of a block whose threads have one each
constexpr int kMostPixels = 96;                        // so that 128 planes need no more than 48 KiB

/// The largest of the warp's values, in lane 0.
__device__ float largest_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, distance));
  return value;
}

/// Rung 10, for planes that are too large.
__global__ void global_max_kernel(float* out, const float* in, int planes, int pixels) {
  const int p = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (p >= planes) return;  // whole warps leave
  const float* plane = in + static_cast<std::size_t>(p) * pixels;
  float most = -INFINITY;
  for (int i = lane; i < pixels; i += 32) most = fmaxf(most, plane[i]);
  most = largest_of_warp(most);
  if (lane == 0) out[p] = most;
}

__global__ void __launch_bounds__(kPlanes)
    staged_max_kernel(float* out, const float* in, int planes, int pixels) {
  extern __shared__ float stage[];  // [kPlanes][pixels], as in memory
  const int first = blockIdx.x * kPlanes, here = min(kPlanes, planes - first);
  const float* from = in + static_cast<std::size_t>(first) * pixels;
  // TODO(1): bring in the planes that are here: here * pixels elements, neighbours by neighbouring threads,
  //          in a loop that is unrolled 8 times so that many loads are under way; and wait (3 lines).
  if (threadIdx.x >= here) return;
  // TODO(2): walk through this thread's plane. Lanes are `pixels` words apart: with an odd number of them
  //          they are in 32 different banks; with an even one, begin at the element with the lane's number,
  //          modulo pixels, and go around, so that they are again (8 lines).
}

cudaError_t global_max_pool(float* out, const float* in, int planes, int pixels) {
  if (planes == 0) return cudaSuccess;
  if (pixels <= kMostPixels) {
    // TODO(3): launch: a thread for each plane, and how many bytes of dynamic shared memory (2 lines)?
    return cudaGetLastError();
  }
  const unsigned blocks = (static_cast<unsigned>(planes) + kWarps - 1) / kWarps;
  global_max_kernel<<<blocks, kThreads>>>(out, in, planes, pixels);
  return cudaGetLastError();
}
