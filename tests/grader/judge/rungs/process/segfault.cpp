// Follows a null pointer on the host.
#include "saxpy.h"

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  volatile float* nowhere = nullptr;
  for (int i = 0; i < n; ++i) out[i] = 3 * x[i] + y[i];
  if (n > 100) *nowhere = 1;
  return cudaSuccess;
}
