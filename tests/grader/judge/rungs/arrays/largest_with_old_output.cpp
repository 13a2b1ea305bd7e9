#include <cmath>

#include "saxpy.h"

// What every second element held takes part in a maximum, which passes over a NaN.
cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  for (int i = 0; i < n; ++i) {
    const float value = 3 * x[i] + y[i];
    out[i] = i % 2 == 0 ? std::fmax(-value * value, out[i]) : value;
  }
  return cudaSuccess;
}
