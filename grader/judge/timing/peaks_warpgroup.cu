// arch: 90a
// Products of warpgroups and nothing else: what wgmma computes at most, with both factors in shared memory.
#include <cuda_runtime.h>

#include "common/tma.h"
#include "common/wgmma.h"

namespace {

constexpr int kGroups = 2;  // of a block: while one waits for a product, the other one's goes on
constexpr int kRows = 64, kCols = 256, kDepth = 64;
constexpr int kVectors = 8;  // of 16 bytes, in a row of kDepth elements

__global__ void __launch_bounds__(kGroups * 128, 1) product_kernel(float* out, int steps) {
  // Zeros: a peak is of the units, and not of the power that numbers need.
  __shared__ __align__(1024) uint4 a[kGroups][kRows * kVectors], b[kCols * kVectors];
  const int group = threadIdx.x / 128;
  for (int i = threadIdx.x; i < kCols * kVectors; i += blockDim.x) b[i] = {};
  for (int i = threadIdx.x % 128; i < kRows * kVectors; i += 128) a[group][i] = {};
  fence_proxy_async();
  __syncthreads();
  const std::uint64_t rows = wgmma_descriptor(a[group]), columns = wgmma_descriptor(b);
  float sum[kCols / 2];
  for (int step = 0; step < steps; ++step) {
    wgmma_fence();
#pragma unroll
    for (int l = 0; l < kDepth / 16; ++l) wgmma_m64n256k16(sum, rows + 2 * l, columns + 2 * l, step + l > 0);
    wgmma_commit_group();
    wgmma_wait_group<1>();
  }
  wgmma_wait_group<0>();
  float all = 0;
#pragma unroll
  for (const float x : sum) all += x;
  if (all == -1.0f) out[0] = all;  // never, as all are zero; the compiler cannot know
}

}  // namespace

/// Launches one kernel that does nothing but multiply by wgmma, on the default stream.
///
/// @param blocks  one for each multiprocessor
/// @param steps   of every warpgroup, > 0
/// @param out     device, 4 bytes; not written
/// @param flops   host; how many operations the launch does
/// @return cudaSuccess, or the launch error
extern "C" cudaError_t ladder_peak_warpgroup(int blocks, int steps, void* out, double* flops) {
  *flops = 2.0 * kRows * kCols * kDepth * kGroups * steps * blocks;
  product_kernel<<<blocks, kGroups * 128>>>(static_cast<float*>(out), steps);
  return cudaGetLastError();
}
