// Rung 4: a barrier that not all threads of the block come to.
#include "debugging.h"

// TODO(1): as in rung 1, the kernel of wrong_sums.h. Which threads come to the barrier, and which does it
//          wait for (12 lines)?

#ifndef MENDED
#include "wrong_sums.h"
#endif

cudaError_t sums(int* out, const int* in, int n) {
  if (n == 0) return cudaSuccess;
  sums_kernel<<<(static_cast<unsigned>(n) + kBlock - 1) / kBlock, kBlock>>>(out, in, n);
  return cudaGetLastError();
}
