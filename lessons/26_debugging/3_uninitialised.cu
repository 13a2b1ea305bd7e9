// Rung 3: a value is read that nobody has written.
#include <cmath>

#include "debugging.h"

// TODO(1): as in rung 1, the kernel of wrong_minima.h. The finding names where the value is read; where
//          should it have been written, and with what (12 lines)?

#ifndef MENDED
#include "wrong_minima.h"
#endif

cudaError_t minima(float* out, const float* in, int n) {
  if (n == 0) return cudaSuccess;
  minima_kernel<<<(static_cast<unsigned>(n) + kBlock - 1) / kBlock, kBlock>>>(out, in, n);
  return cudaGetLastError();
}
