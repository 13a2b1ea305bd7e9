// Rung 7: rows of up to 32768 elements stay in registers, too: in those of a block of 1024 threads.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "fold.h"
#include "softmax.h"

constexpr int kBlock = 1024;  // threads a block: 32 warps, as many as a block may have
constexpr int kWide = 4;      // floats in 16 bytes, the widest access a thread has

/// Groups of kThreads threads in a block, each with a row: eight warps, or one group that is the block.
template <int kThreads>
constexpr int kGroups = kThreads == kWarp ? 8 : 1;

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

/// A row of up to kEach * kThreads vectors for each group of kThreads threads, a warp or a whole block, held
/// in its registers. kEach is known when this is compiled, so that the loops unroll and v lies in registers,
/// which have no index.
template <int kThreads, int kEach, bool kAligned>
__global__ void __launch_bounds__(kThreads == kWarp ? 256 : kThreads)
    register_kernel(float* out, const float* in, int rows, int cols) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kGroups<kThreads> + threadIdx.y;
  if (row >= rows) return;                // the whole group: the folds below miss nobody
  const int first = threadIdx.x * kWide;  // this thread's first column; its next is a group's width on
  constexpr int kStep = kThreads * kWide;
  const float* const x = in + row * cols;
  float* const y = out + row * cols;

  float4 v[kEach];
  float largest = -FLT_MAX, sum = 0;
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
}

/// Vectors of a row that each thread of a block of kBlock holds at most.
constexpr int most_vectors() {
  int vectors = 0;
  // TODO(1): a multiprocessor has 65,536 registers, and the whole block lies on one of them. How many has
  //          each of its 1024 threads? At most half of these may hold the row; addresses, folds and expf take
  //          the others. How many vectors of kWide floats is that (2 lines)?
  // BEGIN SOLUTION
  constexpr int kRegisters = 65'536 / kBlock;  // 64 a thread
  vectors = kRegisters / 2 / kWide;            // 32 floats, so 32768 for the block
  // END SOLUTION
  return vectors;
}
constexpr int kMost = most_vectors();

/// Launches the kernel if its groups can hold a row.
/// @return whether they can
template <int kThreads, int kEach>
bool launched(float* out, const float* in, int rows, int cols) {
  if (cols > kThreads * kEach * kWide) return false;
  const unsigned blocks = (static_cast<unsigned>(rows) + kGroups<kThreads> - 1) / kGroups<kThreads>;
  // Where 4 divides cols, every row starts at a multiple of 16 bytes, as the arrays do.
  const auto kernel =
      cols % kWide == 0 ? register_kernel<kThreads, kEach, true> : register_kernel<kThreads, kEach, false>;
  kernel<<<blocks, dim3(kThreads, kGroups<kThreads>)>>>(out, in, rows, cols);
  return true;
}

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (launched<32, 1>(out, in, rows, cols) || launched<32, 4>(out, in, rows, cols) ||
      launched<32, 8>(out, in, rows, cols) || launched<256, 4>(out, in, rows, cols) ||
      launched<256, 8>(out, in, rows, cols))
    return cudaGetLastError();  // up to 8192 elements, as in rung 6
  // TODO(2): the longer rows: blocks of kBlock threads with half of kMost vectors each, then with kMost. For
  //          rows that neither holds, block_kernel (3 lines).
  // BEGIN SOLUTION
  if (!launched<kBlock, kMost / 2>(out, in, rows, cols) && !launched<kBlock, kMost>(out, in, rows, cols))
    block_kernel<<<rows, kBlock>>>(out, in, cols);
  // END SOLUTION
  return cudaGetLastError();
}
