// Rung 5: 16 bytes an access: a lane holds up to eight float4 of its row.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "fold.h"
#include "softmax.h"

constexpr int kBlock = 256;            // threads a block: eight warps
constexpr int kRows = kBlock / kWarp;  // rows a block works on, where a warp has one
constexpr int kWide = 4;               // floats in 16 bytes, the widest access a thread has

/// Four neighbours of a row, from `col` on; -INFINITY, whose exp is 0, behind its end. A 16-byte access must
/// start at a multiple of 16 bytes, so rows of any other width go float by float.
template <bool kAligned>
__device__ float4 load(const float* row, int col, int cols) {
  constexpr float kNone = -INFINITY;
  if constexpr (kAligned) {
    // TODO(1): load the four as one float4, if the row has them (1 line).
    // BEGIN SOLUTION
    if (col < cols) return *reinterpret_cast<const float4*>(row + col);
    // END SOLUTION
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
    // TODO(2): store the four as one float4, if the row has room for them (1 line).
    // BEGIN SOLUTION
    if (col < cols) *reinterpret_cast<float4*>(row + col) = v;
    // END SOLUTION
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

/// A row of up to kEach * 32 vectors for each warp, held in its registers.
template <int kEach, bool kAligned>
__global__ void __launch_bounds__(kBlock) warp_kernel(float* out, const float* in, int rows, int cols) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRows + threadIdx.x / kWarp;
  if (row >= rows) return;                        // all 32 lanes together: the folds below miss nobody
  const int first = threadIdx.x % kWarp * kWide;  // this lane's first column; its next is a warp's width on
  constexpr int kStep = kWarp * kWide;
  const float* const x = in + row * cols;
  float* const y = out + row * cols;

  float4 v[kEach];
  float largest = -FLT_MAX, sum = 0;
  // TODO(3): as in rung 4, with vectors: load from column first + k * kStep on; max_of, exp_of, sum_of and
  //          times do to a vector what fmaxf, expf, + and * do to a number (12 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < kEach; ++k) v[k] = load<kAligned>(x, first + k * kStep, cols);
#pragma unroll
  for (int k = 0; k < kEach; ++k) largest = fmaxf(largest, max_of(v[k]));
  largest = fold_warp(largest, Max{});
#pragma unroll
  for (int k = 0; k < kEach; ++k) sum += sum_of(v[k] = exp_of(v[k], largest));
  sum = fold_warp(sum, Sum{});
  const float share = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < kEach; ++k) store<kAligned>(y, first + k * kStep, cols, times(v[k], share));
  // END SOLUTION
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

template <bool kAligned>
void launch(float* out, const float* in, int rows, int cols) {
  const int blocks = (rows + kRows - 1) / kRows;
  if (cols <= 1 * kWarp * kWide)
    warp_kernel<1, kAligned><<<blocks, kBlock>>>(out, in, rows, cols);
  else if (cols <= 4 * kWarp * kWide)
    warp_kernel<4, kAligned><<<blocks, kBlock>>>(out, in, rows, cols);
  else if (cols <= 8 * kWarp * kWide)
    warp_kernel<8, kAligned><<<blocks, kBlock>>>(out, in, rows, cols);
  else
    block_kernel<<<rows, kBlock>>>(out, in, cols);
}

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (cols % kWide == 0)  // then every row starts at a multiple of 16 bytes, as the arrays do
    launch<true>(out, in, rows, cols);
  else
    launch<false>(out, in, rows, cols);
  return cudaGetLastError();
}
