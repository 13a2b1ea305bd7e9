// Rung 1: one cell a thread; a branch that sends the even lanes one way and the odd lanes another.
#include "materials.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void anneal_kernel(float* out, const float* in, const std::uint8_t* steps, std::int64_t n) {
  __shared__ float tile[kBlock];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  float mine = 0;
  if (i < n) {
    // TODO(1): cool cell i for steps[i] steps: even cells are of copper, odd cells of iron (4 lines).
  }

  // TODO(2): the two of a pair exchange their temperatures through `tile`, and each stores the mean; a last
  //          cell without a partner stores its own. They are lanes of one warp, but took different ways to
  //          this line: nothing says that they arrive together (4 lines).
}

cudaError_t anneal(float* out, const float* in, const std::uint8_t* steps, std::int64_t n) {
  if (n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  anneal_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(out, in, steps, n);
  return cudaGetLastError();
}
