// The library's way: cub::DeviceTransform, which comes with the CUDA toolkit. It calls for one half at a
// time.
#include <cub/device/device_transform.cuh>

#include "gelu.h"

struct Exact {
  __device__ __half operator()(__half half) const {
    const float x = __half2float(half);
    return __float2half_rn(x * normcdff(x));
  }
};
struct Tanh {
  __device__ __half operator()(__half x) const {
    const __half scale = __float2half_rn(0.7978845608f), cubic = __float2half_rn(0.0356774081f);
    const __half half_x = __hmul(x, __float2half_rn(0.5f));
    return __hfma(half_x, htanh_approx(__hmul(x, __hfma(__hmul(x, x), cubic, scale))), half_x);
  }
};

cudaError_t gelu(__half* out, const __half* in, std::int64_t n, Form form) {
  if (form == Form::exact) return cub::DeviceTransform::Transform(in, out, n, Exact{});
  return cub::DeviceTransform::Transform(in, out, n, Tanh{});
}
