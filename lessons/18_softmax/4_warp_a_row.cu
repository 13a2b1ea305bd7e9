// Rung 4: a warp a row, and the row in its registers: read once, no shared memory, no barrier.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "fold.h"
#include "softmax.h"

constexpr int kBlock = 256;            // threads a block: eight warps
constexpr int kRows = kBlock / kWarp;  // rows a block works on, where a warp has one

/// A row of up to kEach * 32 elements for each warp. kEach is known when this is compiled, so that the loops
/// unroll and v lies in registers, which have no index.
template <int kEach>
__global__ void __launch_bounds__(kBlock) warp_kernel(float* out, const float* in, int rows, int cols) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRows + threadIdx.x / kWarp;
  if (row >= rows) return;  // all 32 lanes together: the folds below miss nobody
  const int lane = threadIdx.x % kWarp;
  const float* const x = in + row * cols;
  float* const y = out + row * cols;

  float v[kEach];
  float largest = -FLT_MAX, sum = 0;
  // TODO(1): load the row, lane by lane and kWarp apart; what lies behind its end is -INFINITY, whose exp
  //          is 0. The maximum over v, and with fold_warp over the lanes. Replace v by its exp and add it up,
  //          and fold that (10 lines).
  const float share = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < kEach; ++k)
    if (lane + k * kWarp < cols) y[lane + k * kWarp] = v[k] * share;
}

// Longer rows: rung 3.

/// What is known of some elements: their maximum, and the sum of exp(element - max). Of no elements that is
/// {-FLT_MAX, 0}: with -infinity for a start, -infinity - -infinity would be NaN.
struct Running {
  float max = -FLT_MAX, sum = 0;

  __device__ void add(float x) {
    const float larger = fmaxf(max, x);
    sum = sum * expf(max - larger) + expf(x - larger);
    max = larger;
  }
};

struct Combine {
  __device__ Running operator()(Running a, Running b) const {
    const float larger = fmaxf(a.max, b.max);
    a.sum = a.sum * expf(a.max - larger) + b.sum * expf(b.max - larger);
    a.max = larger;
    return a;
  }
};

__global__ void block_kernel(float* out, const float* in, int cols) {
  const float* const x = in + static_cast<std::int64_t>(blockIdx.x) * cols;
  float* const y = out + static_cast<std::int64_t>(blockIdx.x) * cols;

  Running all;
  for (int i = threadIdx.x; i < cols; i += kBlock) all.add(x[i]);
  all = fold_block<kBlock>(all, Combine{});
  for (int i = threadIdx.x; i < cols; i += kBlock) y[i] = expf(x[i] - all.max) / all.sum;
}

template <int kEach>
void launch_warps(float* out, const float* in, int rows, int cols) {
  warp_kernel<kEach><<<(rows + kRows - 1) / kRows, kBlock>>>(out, in, rows, cols);
}

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (cols <= 1 * kWarp)
    launch_warps<1>(out, in, rows, cols);
  else if (cols <= 4 * kWarp)
    launch_warps<4>(out, in, rows, cols);
  else if (cols <= 16 * kWarp)
    launch_warps<16>(out, in, rows, cols);
  else if (cols <= 32 * kWarp)
    launch_warps<32>(out, in, rows, cols);
  else
    block_kernel<<<rows, kBlock>>>(out, in, cols);
  return cudaGetLastError();
}
