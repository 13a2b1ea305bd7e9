// Rung 2: two threads at one place, one of which writes, and nothing orders them.
#include "debugging.h"

// TODO(1): as in rung 1, the kernel of wrong_neighbours.h: which two lines are named, and what belongs
//          between them (12 lines)?

#ifndef MENDED
#include "wrong_neighbours.h"
#endif

cudaError_t neighbours(int* out, const int* in, int n) {
  if (n == 0) return cudaSuccess;
  neighbours_kernel<<<(static_cast<unsigned>(n) + kBlock - 1) / kBlock, kBlock>>>(out, in, n);
  return cudaGetLastError();
}
