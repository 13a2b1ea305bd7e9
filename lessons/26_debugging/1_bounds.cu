// Rung 1: an access outside of an array.
#include "debugging.h"

// TODO(1): ./ladder run 26.1 tries the kernel of wrong_differences.h, which has one mistake. Read what is
//          said of it; then write the kernel here, mended, below a line `#define MENDED`, which leaves the
//          other one out (5 lines).

#ifndef MENDED
#include "wrong_differences.h"
#endif

cudaError_t differences(float* out, const float* in, int n) {
  if (n == 1) return cudaSuccess;
  differences_kernel<<<(static_cast<unsigned>(n) + kBlock - 1) / kBlock, kBlock>>>(out, in, n);
  return cudaGetLastError();
}
