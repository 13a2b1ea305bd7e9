// Rung 6: rows longer than a warp can hold: a block holds them, in the registers of all its threads.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "fold.h"
#include "softmax.h"

constexpr int kWide = 4;  // floats in 16 bytes, the widest access a thread has

/// Four neighbours of a row, from `col` on; -INFINITY, whose exp is 0, behind its end. A 16-byte access must
/// start at a multiple of 16 bytes, so rows of any other width go float by float.
template <bool kAligned>
__device__ float4 load(const float* row, int col, int cols) {
  constexpr float kNone = -INFINITY;
  if constexpr (kAligned) {
    if (col < cols) return *reinterpret_cast<const float4*>(row + col);
    return {kNone, kNone, kNone, kNone};
  } else {
    return {col < cols ? row[col] : kNone, col + 1 < cols ? row[col + 1] : kNone,
            col + 2 < cols ? row[col + 2] : kNone, col + 3 < cols ? row[col + 3] : kNone};
  }
}

/// The way back; what lies behind the end is dropped.
template <bool kAligned>
__device__ void store(float* row, int col, int cols, float4 v) {
  if constexpr (kAligned) {
    if (col < cols) *reinterpret_cast<float4*>(row + col) = v;
  } else {
    if (col < cols) row[col] = v.x;
    if (col + 1 < cols) row[col + 1] = v.y;
    if (col + 2 < cols) row[col + 2] = v.z;
    if (col + 3 < cols) row[col + 3] = v.w;
  }
}

__device__ float max_of(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }
__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }
__device__ float4 times(float4 v, float f) { return {v.x * f, v.y * f, v.z * f, v.w * f}; }
__device__ float4 exp_of(float4 v, float largest) {
  return {expf(v.x - largest), expf(v.y - largest), expf(v.z - largest), expf(v.w - largest)};
}

/// A row for each group of kThreads threads: a warp, or a whole block. Each thread holds up to kEach vectors.
template <int kThreads, int kEach, bool kAligned>
__global__ void __launch_bounds__(kThreads == kWarp ? 256 : kThreads)
    softmax_kernel(float* out, const float* in, int rows, int cols) {
  // A group of one warp shares its block with others, along y; a larger one has the block for itself.
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;                // the whole group
  const int first = threadIdx.x * kWide;  // this thread's first column; its next is a group's width on
  constexpr int kStep = kThreads * kWide;
  const float* const x = in + row * cols;
  float* const y = out + row * cols;

  float4 v[kEach];
  float largest = -FLT_MAX, sum = 0;
  // TODO(1): as in rung 5, for kThreads threads instead of 32: which fold (12 lines)?
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < kEach; ++k) v[k] = load<kAligned>(x, first + k * kStep, cols);
#pragma unroll
  for (int k = 0; k < kEach; ++k) largest = fmaxf(largest, max_of(v[k]));
  largest = fold_block<kThreads>(largest, Max{});
#pragma unroll
  for (int k = 0; k < kEach; ++k) sum += sum_of(v[k] = exp_of(v[k], largest));
  sum = fold_block<kThreads>(sum, Sum{});
  const float share = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < kEach; ++k) store<kAligned>(y, first + k * kStep, cols, times(v[k], share));
  // END SOLUTION
}

// Still longer rows: rung 3, with larger blocks, so that few rows are under way at a time and the second pass
// finds them in the L2 cache.

constexpr int kBlock = 1024;

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

/// Launches the kernel if its groups can hold a row.
/// @return whether they can
template <int kThreads, int kEach, bool kAligned>
bool launched(float* out, const float* in, int rows, int cols) {
  if (cols > kThreads * kEach * kWide) return false;
  const dim3 block(kThreads, kThreads == kWarp ? 8 : 1);
  const unsigned blocks = (static_cast<unsigned>(rows) + block.y - 1) / block.y;
  softmax_kernel<kThreads, kEach, kAligned><<<blocks, block>>>(out, in, rows, cols);
  return true;
}

template <bool kAligned>
void launch(float* out, const float* in, int rows, int cols) {
  // TODO(2): the first of these that can hold a row, from small to large: 32 threads with 1, 4 or 8 vectors
  //          each, 256 with 4 or 8, 1024 with 4 or 8. If none can, block_kernel (4 lines).
  // BEGIN SOLUTION
  if (launched<32, 1, kAligned>(out, in, rows, cols) || launched<32, 4, kAligned>(out, in, rows, cols) ||
      launched<32, 8, kAligned>(out, in, rows, cols) || launched<256, 4, kAligned>(out, in, rows, cols) ||
      launched<256, 8, kAligned>(out, in, rows, cols) || launched<1024, 4, kAligned>(out, in, rows, cols) ||
      launched<1024, 8, kAligned>(out, in, rows, cols))
    return;
  block_kernel<<<rows, kBlock>>>(out, in, cols);
  // END SOLUTION
}

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (cols % kWide == 0)  // then every row starts at a multiple of 16 bytes, as the arrays do
    launch<true>(out, in, rows, cols);
  else
    launch<false>(out, in, rows, cols);
  return cudaGetLastError();
}
