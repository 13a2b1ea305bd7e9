// Rung 9: a fixed grid strides over the input, each thread summing in a register; a second kernel ends it.
#include "common/grid.h"
#include "operators.h"
#include "reduction.h"

constexpr int kBlock = 256;                   // threads a block: eight warps
constexpr int kBlocksPerMultiprocessor = 32;  // several times what fits: whoever is done first takes more
constexpr int kPerThread = 8;                 // elements at least: for less, fewer blocks will do

/// Folds partial[0..63] into partial[0]; called by the 32 threads of one warp. Lanes of a warp may drift
/// apart, so __syncwarp() stands between one lane's write and another's read, and the other way round.
template <class Op>
__device__ void fold_warp(float* partial, unsigned lane) {
  float mine = partial[lane];
#pragma unroll
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    mine = Op::combine(mine, partial[lane + stride]);
    __syncwarp();  // all have read the old values ...
    partial[lane] = mine;
    __syncwarp();  // ... and all have written the new ones
  }
}

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  __shared__ float partial[kBlock];
  const unsigned t = threadIdx.x;
  // TODO(1): let the grid stride over the input: the threads of all blocks take as many neighbouring
  //          elements, then the next so many, until the end. Each thread combines its own in a register,
  //          leaves the result in partial[t], and waits for the others (6 lines).
  // BEGIN SOLUTION
  float mine = Op::identity();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + t;
  for (std::int64_t i = thread; i < n; i += threads) mine = Op::combine(mine, in[i]);
  partial[t] = mine;
  __syncthreads();  // every partial result is there before a neighbour reads it
  // END SOLUTION

#pragma unroll
  for (unsigned stride = kBlock / 2; stride > 32; stride /= 2) {  // kBlock is a constant: no loop is left
    if (t < stride) partial[t] = Op::combine(partial[t], partial[t + stride]);
    __syncthreads();  // this step's results are there before the next step reads them
  }
  if (t < 32) fold_warp<Op>(partial, t);

  if (t == 0) out[blockIdx.x] = partial[0];
}

template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  // TODO(2): launch the kernel twice: first as many blocks as ladder::grid_stride_blocks (common/grid.h) says
  //          for n / kPerThread items, into scratch; then one block over their results, into out
  //          (3 lines).
  // BEGIN SOLUTION
  const unsigned blocks = ladder::grid_stride_blocks(n / kPerThread, kBlock, kBlocksPerMultiprocessor);
  reduce_kernel<Op><<<blocks, kBlock>>>(scratch, in, n);
  reduce_kernel<Op><<<1, kBlock>>>(out, scratch, blocks);
  // END SOLUTION
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
