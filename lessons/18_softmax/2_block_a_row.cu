// Rung 2: a block a row: neighbouring threads read neighbouring elements, and fold what they found.
#include <cfloat>
#include <cstdint>

#include "fold.h"
#include "softmax.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void block_kernel(float* out, const float* in, int cols) {
  const std::int64_t row = blockIdx.x;
  const float* const x = in + row * cols;
  float* const y = out + row * cols;

  // TODO(1): the three passes, kBlock threads side by side. After each of the first two, every thread
  //          needs what all of them found together: fold_block<kBlock>(value, Max{}) and Sum{} (7 lines).
}

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  // TODO(2): the launch (1 line).
  return cudaGetLastError();
}
