// Rung 4: threads of a block exchange values through shared memory: of a fixed size, and of one the launch
// says.
#include "first_program.h"

// A block has one piece, a thread one element. Nothing is launched for threads that have no element but those
// of the last piece, which may be shorter: `length` is what it has.

__global__ void static_kernel(float* data, int n) {
  const int first = blockIdx.x * kPiece;  // of this block's piece
  const int length = min(kPiece, n - first);
  const int t = threadIdx.x;
  // TODO(1): declare an array of kPiece floats that the block shares. Each thread puts its element there,
  //          waits for the others, and takes the element from the other end of the piece. A barrier must be
  //          reached by all threads of the block, also by those without an element (4 lines).
  // BEGIN SOLUTION
  __shared__ float piece[kPiece];  // each block has one of its own, while it runs
  if (t < length) piece[t] = data[first + t];
  __syncthreads();  // every element has been put there, and no element of data is needed any more
  if (t < length) data[first + t] = piece[length - 1 - t];
  // END SOLUTION
}

// TODO(2): the same for pieces of blockDim.x elements, a length that only the launch knows: the shared
//          array is declared `extern` and without a size (9 lines).
// BEGIN SOLUTION
__global__ void dynamic_kernel(float* data, int n) {
  extern __shared__ float piece[];  // as many bytes as the launch's third argument says
  const int first = blockIdx.x * blockDim.x;
  const int length = min(static_cast<int>(blockDim.x), n - first);
  const int t = threadIdx.x;
  if (t < length) piece[t] = data[first + t];
  __syncthreads();
  if (t < length) data[first + t] = piece[length - 1 - t];
}
// END SOLUTION

cudaError_t reverse_static(float* data, int n) {
  if (n == 0) return cudaSuccess;
  static_kernel<<<(n + kPiece - 1) / kPiece, kPiece>>>(data, n);
  return cudaGetLastError();
}

cudaError_t reverse_dynamic(float* data, int n, int piece) {
  if (n == 0) return cudaSuccess;
  // TODO(3): launch a block for each piece, with a thread and with shared memory for each of its
  //          elements (2 lines).
  // BEGIN SOLUTION
  const int blocks = (n + piece - 1) / piece;
  dynamic_kernel<<<blocks, piece, piece * sizeof(float)>>>(data, n);
  // END SOLUTION
  return cudaGetLastError();
}
