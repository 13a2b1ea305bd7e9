// Rung 3: the four operations as types; one kernel template that fuses any chain of them.
#include "fused_bias_mask_scale_add.h"

constexpr int kBlock = 256;  // threads a block: eight warps

// A step is given a value and the place of its element, and returns the new value.
struct Bias {
  const float* bias;
  unsigned cols;
  __device__ float operator()(float value, unsigned i) const { return value + bias[i % cols]; }
};

// TODO(1): three more such types: Mask, with the mask, drops the value or not; Scale multiplies it; Add,
//          with the residual, adds what belongs to the element (18 lines).
// BEGIN SOLUTION
struct Mask {
  const std::uint8_t* mask;
  __device__ float operator()(float value, unsigned i) const {
    if (!mask[i]) value = 0.0f;
    return value;
  }
};

struct Scale {
  float scale;
  __device__ float operator()(float value, unsigned) const { return value * scale; }
};

struct Add {
  const float* residual;
  __device__ float operator()(float value, unsigned i) const {
    value += residual[i];
    return value;
  }
};
// END SOLUTION

/// Any number of steps, one after the other. Their types are known when this is compiled: no call is left.
template <class... Steps>
__global__ void elementwise_kernel(float* out, const float* in, unsigned n, Steps... steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // TODO(2): let every step in turn replace the value of element i, by a fold expression over the comma,
  //          ((...), ...). One load of `in`, one store (3 lines).
  // BEGIN SOLUTION
  float value = in[i];
  ((value = steps(value, i)), ...);
  out[i] = value;
  // END SOLUTION
}

cudaError_t bias_mask_scale_add(float* out, const float* in, const float* bias, const std::uint8_t* mask,
                                const float* residual, float scale, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const unsigned n = static_cast<unsigned>(rows) * static_cast<unsigned>(cols);
  const unsigned blocks = (n + kBlock - 1) / kBlock;
  // TODO(3): the launch, with the four steps as its last arguments, each made with what it carries (2
  //          lines).
  // BEGIN SOLUTION
  elementwise_kernel<<<blocks, kBlock>>>(out, in, n, Bias{bias, static_cast<unsigned>(cols)}, Mask{mask},
                                         Scale{scale}, Add{residual});
  // END SOLUTION
  return cudaGetLastError();
}
