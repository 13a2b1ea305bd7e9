// Writes one element too many.
#include "saxpy.h"

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  for (int i = 0; i < n; ++i) out[i] = 3 * x[i] + y[i];
  if (n > 20) out[n] = 0;
  return cudaSuccess;
}
