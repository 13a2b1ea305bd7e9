// Blank page: cross entropy, a number for each row.
#include <cfloat>
#include <cstdint>

#include "blank_page.h"
#include "fold.h"

// TODO(1): cross_entropy(), whose contract is in blank_page.h: the kernel, what it folds with, and the
//          launch (about 30 lines).
// BEGIN SOLUTION
constexpr int kBlock = 256;  // threads a block: eight warps

/// What is known of some elements: their maximum, and the sum of exp(element - max).
struct Running {
  float max = -FLT_MAX, sum = 0;
};

struct Combine {
  __device__ Running operator()(Running a, Running b) const {
    const float larger = fmaxf(a.max, b.max);
    a.sum = a.sum * expf(a.max - larger) + b.sum * expf(b.max - larger);
    a.max = larger;
    return a;
  }
};

/// A block a row, which is read once.
__global__ void cross_entropy_kernel(float* loss, const float* in, const int* label, int cols) {
  const std::int64_t row = blockIdx.x;
  const float* const x = in + row * cols;
  Running all;
  for (int i = threadIdx.x; i < cols; i += kBlock) {
    const float larger = fmaxf(all.max, x[i]);
    all.sum = all.sum * expf(all.max - larger) + expf(x[i] - larger);
    all.max = larger;
  }
  all = fold_block<kBlock>(all, Combine{});
  // One of the two may be a large number: the difference first.
  if (threadIdx.x == 0) loss[row] = logf(all.sum) + (all.max - x[label[row]]);
}

cudaError_t cross_entropy(float* loss, const float* in, const int* label, int rows, int cols) {
  if (rows == 0) return cudaSuccess;
  cross_entropy_kernel<<<rows, kBlock>>>(loss, in, label, cols);
  return cudaGetLastError();
}
// END SOLUTION
