// Scales its input in place.
#include "saxpy.h"

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  auto* scaled = const_cast<float*>(x);
  for (int i = 0; i < n; ++i) out[i] = (scaled[i] *= 3) + y[i];
  return cudaSuccess;
}
