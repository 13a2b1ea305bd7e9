// Rung 4: the row stays in the registers of its block: memory is read once.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "fold.h"
#include "softmax.h"

constexpr int kBlock = 256;  // threads a block: eight warps

// Rows that are too long for registers: rung 3.

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
  const std::int64_t row = blockIdx.x;
  const float* const x = in + row * cols;
  float* const y = out + row * cols;

  Running all;
  for (int i = threadIdx.x; i < cols; i += kBlock) all.add(x[i]);
  all = fold_block<kBlock>(all, Combine{});
  const float share = 1.0f / all.sum;
  for (int i = threadIdx.x; i < cols; i += kBlock) y[i] = expf(x[i] - all.max) * share;
}

// All other rows.

/// An element of a row; behind its end what changes no result.
__device__ float load(const float* row, int col, int cols) {
  // TODO(1): which value changes neither a maximum nor a sum of exp (1 line)?
  // BEGIN SOLUTION
  return col < cols ? row[col] : -INFINITY;
  // END SOLUTION
}

/// The way back; what lies behind the end is dropped.
__device__ void store(float* row, int col, int cols, float v) {
  if (col < cols) row[col] = v;
}

/// A row of up to kEach * kBlock elements for each block, held in its registers. kEach is known when this is
/// compiled, so that the loops unroll and v lies in registers, which have no index.
template <int kEach>
__global__ void __launch_bounds__(kBlock) register_kernel(float* out, const float* in, int cols) {
  const std::int64_t row = blockIdx.x;
  const int first = threadIdx.x;  // this thread's first column; its next is a block's width on
  constexpr int kStep = kBlock;
  const float* const x = in + row * cols;
  float* const y = out + row * cols;

  // TODO(2): load this thread's columns, first + k * kStep, with load(), into an array of kEach. The
  //          maximum over it, and with fold_block over the threads. Replace each by its exp and add it
  //          up, and fold that. Then the shares, with store(). Every loop is to be unrolled (13 lines).
  // BEGIN SOLUTION
  float v[kEach];
  float largest = -FLT_MAX, sum = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) v[k] = load(x, first + k * kStep, cols);
#pragma unroll
  for (int k = 0; k < kEach; ++k) largest = fmaxf(largest, v[k]);
  largest = fold_block<kBlock>(largest, Max{});
#pragma unroll
  for (int k = 0; k < kEach; ++k) sum += v[k] = expf(v[k] - largest);
  sum = fold_block<kBlock>(sum, Sum{});
  const float share = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < kEach; ++k) store(y, first + k * kStep, cols, v[k] * share);
  // END SOLUTION
}

/// Launches the kernel if its blocks can hold a row.
/// @return whether they can
template <int kEach>
bool launched(float* out, const float* in, int rows, int cols) {
  // TODO(3): "no" for a row that is too long; else the launch (2 lines).
  // BEGIN SOLUTION
  if (cols > kBlock * kEach) return false;
  register_kernel<kEach><<<rows, kBlock>>>(out, in, cols);
  // END SOLUTION
  return true;
}

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!launched<4>(out, in, rows, cols) && !launched<16>(out, in, rows, cols) &&
      !launched<32>(out, in, rows, cols))
    block_kernel<<<rows, kBlock>>>(out, in, cols);
  return cudaGetLastError();
}
