// The library's way: cub::DeviceTransform, which comes with the CUDA toolkit.
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include "fused_bias_mask_scale_add.h"

struct Fused {
  const __half* bias;
  __half scale;
  unsigned cols;
  __device__ __half operator()(__half x, std::uint8_t keep, __half residual, unsigned i) const {
    return __hfma(__hadd(x, bias[i % cols]), keep ? scale : __half(0.0f), residual);
  }
};

cudaError_t bias_mask_scale_add(__half* out, const __half* in, const __half* bias, const std::uint8_t* mask,
                                const __half* residual, float scale, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const thrust::counting_iterator<unsigned> places(0);
  return cub::DeviceTransform::Transform(cuda::std::make_tuple(in, mask, residual, places), out, rows * cols,
                                         Fused{bias, __float2half_rn(scale), static_cast<unsigned>(cols)});
}
