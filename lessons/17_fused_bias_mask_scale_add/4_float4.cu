// Rung 4: steps that take four elements at once: 16 bytes of floats, four bytes of mask.
#include "fused_bias_mask_scale_add.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kWide = 4;     // floats in 16 bytes, the widest access a thread has

// A step is given a value and the place of its element, or a vector of values and the number of the vector.
struct Bias {
  const float* bias;
  unsigned cols;
  __device__ float operator()(float value, unsigned i) const { return value + bias[i % cols]; }
  __device__ float4 operator()(float4 v, unsigned vector) const {
    const unsigned col = vector * kWide % cols;
    if (cols % kWide == 0) {  // the same for all threads: every vector lies within a row
      const float4 b = *reinterpret_cast<const float4*>(bias + col);
      return {v.x + b.x, v.y + b.y, v.z + b.z, v.w + b.w};
    }
    return {v.x + bias[col], v.y + bias[(col + 1) % cols], v.z + bias[(col + 2) % cols],
            v.w + bias[(col + 3) % cols]};
  }
};

struct Mask {
  const std::uint8_t* mask;
  __device__ float operator()(float value, unsigned i) const {
    if (!mask[i]) value = 0.0f;
    return value;
  }
  __device__ float4 operator()(float4 v, unsigned vector) const {
    // TODO(1): four at once, with one load of a uchar4, whose members are x, y, z and w (3 lines).
  }
};

struct Scale {
  float scale;
  __device__ float operator()(float value, unsigned) const { return value * scale; }
  __device__ float4 operator()(float4 v, unsigned) const {
    return {v.x * scale, v.y * scale, v.z * scale, v.w * scale};
  }
};

struct Add {
  const float* residual;
  __device__ float operator()(float value, unsigned i) const {
    value += residual[i];
    return value;
  }
  __device__ float4 operator()(float4 v, unsigned vector) const {
    // TODO(2): four at once, with one load of a float4 (3 lines).
  }
};

/// Any number of steps, one after the other. Their types are known when this is compiled: no call is left.
template <class... Steps>
__global__ void elementwise_kernel(float* out, const float* in, unsigned n, Steps... steps) {
  // TODO(3): thread i takes vector i, if there are so many whole ones: a load, the chain of steps, a
  //          store. They are given the number of the vector (7 lines).
  // TODO(4): up to three elements are left behind the last whole vector: the steps' other form (6 lines).
}

cudaError_t bias_mask_scale_add(float* out, const float* in, const float* bias, const std::uint8_t* mask,
                                const float* residual, float scale, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const unsigned n = static_cast<unsigned>(rows) * static_cast<unsigned>(cols);
  constexpr unsigned kPerBlock = kBlock * kWide;
  const unsigned blocks = (n + kPerBlock - 1) / kPerBlock;
  elementwise_kernel<<<blocks, kBlock>>>(out, in, n, Bias{bias, static_cast<unsigned>(cols)}, Mask{mask},
                                         Scale{scale}, Add{residual});
  return cudaGetLastError();
}
