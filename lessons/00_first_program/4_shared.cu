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
}

// TODO(2): the same for pieces of blockDim.x elements, a length that only the launch knows: the shared
//          array is declared `extern` and without a size (9 lines).

cudaError_t reverse_static(float* data, int n) {
  if (n == 0) return cudaSuccess;
  static_kernel<<<(n + kPiece - 1) / kPiece, kPiece>>>(data, n);
  return cudaGetLastError();
}

cudaError_t reverse_dynamic(float* data, int n, int piece) {
  if (n == 0) return cudaSuccess;
  // TODO(3): launch a block for each piece, with a thread and with shared memory for each of its
  //          elements (2 lines).
  return cudaGetLastError();
}
