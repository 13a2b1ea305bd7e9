// Rung 14, exercise: exclusive or. Whatever is associative and has an identity can be reduced; integers do
// not even round.
#include "common/grid.h"
#include "reduction.h"

constexpr int kWarp = 32;           // lanes of a warp
constexpr int kBlock = 16 * kWarp;  // threads a block
constexpr int kBlocksPerMultiprocessor = 4;

__global__ void xor_kernel(unsigned* out, const unsigned* in, std::int64_t n) {
  // TODO(1): all of it, with what you know from rungs 9 and 10: this thread's elements, the warp's by
  //          __shfl_xor_sync, the block's through a place for each warp, and out[blockIdx.x] from one thread.
  //          With what do you begin? (about 14 lines)
}

cudaError_t exclusive_or(unsigned* out, const unsigned* in, std::int64_t n, unsigned* scratch) {
  // TODO(2): two launches, as in rung 9 (3 lines).
  return cudaGetLastError();
}
