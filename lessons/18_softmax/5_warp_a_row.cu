// Rung 5: a warp a row if it can hold one: no shared memory, no barrier, nobody waits for other warps.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "fold.h"
#include "softmax.h"

constexpr int kBlock = 256;  // threads a block: eight warps

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

/// An element of a row; -INFINITY, whose exp is 0, behind its end.
__device__ float load(const float* row, int col, int cols) { return col < cols ? row[col] : -INFINITY; }

/// The way back; what lies behind the end is dropped.
__device__ void store(float* row, int col, int cols, float v) {
  if (col < cols) row[col] = v;
}

/// A row of up to kEach * kThreads elements for each group of kThreads threads, a warp or a whole block, held
/// in its registers. kEach is known when this is compiled, so that the loops unroll and v lies in registers,
/// which have no index.
template <int kThreads, int kEach>
__global__ void __launch_bounds__(kThreads == kWarp ? 256 : kThreads)
    register_kernel(float* out, const float* in, int rows, int cols) {
  // TODO(1): the row of this thread's group, which is number threadIdx.y of its block. Which threads may
  //          leave where there is no such row, so that no fold misses a lane? Then this thread's first
  //          column, `first`, the distance to its next, kStep, and where the row begins, x and y (6
  //          lines).

  float v[kEach];
  float largest = -FLT_MAX, sum = 0;
  // TODO(2): as in rung 4, for a group of kThreads threads. fold_block<kWarp> is fold_warp (11 lines).
}

/// Launches the kernel if its groups can hold a row.
/// @return whether they can
template <int kThreads, int kEach>
bool launched(float* out, const float* in, int rows, int cols) {
  // TODO(3): "no" for a row that is too long; else the launch: kGroups rows a block, each with kThreads
  //          threads, which are those of one threadIdx.y (3 lines).
  return true;
}

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  // TODO(4): launched() with 32 threads and 4, 16 or 32 elements each, then with 256 and 16 or 32, until
  //          one says that it can hold a row. If none can, block_kernel (4 lines).
  return cudaGetLastError();
}
