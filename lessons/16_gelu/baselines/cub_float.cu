// The library's way: cub::DeviceTransform, which comes with the CUDA toolkit.
#include <cub/device/device_transform.cuh>

#include "gelu.h"

struct Exact {
  __device__ float operator()(float x) const { return x * normcdff(x); }
};
struct Tanh {
  __device__ float operator()(float x) const {
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
};

cudaError_t gelu(float* out, const float* in, std::int64_t n, Form form) {
  if (form == Form::exact) return cub::DeviceTransform::Transform(in, out, n, Exact{});
  return cub::DeviceTransform::Transform(in, out, n, Tanh{});
}
