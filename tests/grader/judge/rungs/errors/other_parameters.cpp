// The right name with other parameters.
#include "saxpy.h"

cudaError_t saxpy(float* out, const float* x, const float* y, long n) {
  for (long i = 0; i < n; ++i) out[i] = 3 * x[i] + y[i];
  return cudaSuccess;
}
