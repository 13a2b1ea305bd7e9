// Rung 5: a picture rotated by hand: find the place, clamp, load four texels, mix them.
#include "constant_and_texture.h"

constexpr int kBlockX = 32;  // a warp is 32 pixels of one row
constexpr int kBlockY = 8;

__global__ void rotate_kernel(float* out, const float* in, int width, int height, float cosine, float sine) {
  const int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = x + 0.5f - 0.5f * width, v = y + 0.5f - 0.5f * height;
  const float sx = cosine * u - sine * v + 0.5f * width, sy = sine * u + cosine * v + 0.5f * height;
  float mixed = 0;
  // TODO(1): texel (i, j) has its centre at (i + 0.5, j + 0.5). Which column is the last one whose centre
  //          is not right of sx, and how far is it to the next, from 0 to 1? The same for rows. Clamp both
  //          columns and both rows to the picture, load the four texels, and mix them (9 lines).
  out[static_cast<std::int64_t>(y) * width + x] = mixed;
}

cudaError_t rotate(float* out, const float* in, int width, int height, float cosine, float sine) {
  const dim3 block(kBlockX, kBlockY);
  const dim3 grid((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY);
  rotate_kernel<<<grid, block>>>(out, in, width, height, cosine, sine);
  return cudaGetLastError();
}
