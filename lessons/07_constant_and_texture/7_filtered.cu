// Rung 7: the texture units mix the four texels, too.
#include "constant_and_texture.h"

constexpr int kBlockX = 32;  // a warp is 32 pixels of one row
constexpr int kBlockY = 8;

__global__ void rotate_kernel(float* out, cudaTextureObject_t picture, int width, int height, float cosine,
                              float sine) {
  const int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = x + 0.5f - 0.5f * width, v = y + 0.5f - 0.5f * height;
  const float sx = cosine * u - sine * v + 0.5f * width, sy = sine * u + cosine * v + 0.5f * height;
  float mixed = 0;
  // TODO(1): one tex2D<float>; the place is in texels, with centres at halves, as it stands (1 line).
  out[static_cast<std::int64_t>(y) * width + x] = mixed;
}

cudaError_t make_picture(Picture& picture, const float* in, int width, int height) {
  // The array's layout is not documented: it takes a copy of its own to fill it.
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaError_t error = cudaMallocArray(&picture.texels, &format, width, height);
  if (error != cudaSuccess) return error;
  const std::size_t row = width * sizeof(float);  // bytes
  error = cudaMemcpy2DToArray(picture.texels, 0, 0, in, row, row, height, cudaMemcpyDeviceToDevice);
  if (error != cudaSuccess) return error;

  // TODO(2): resource and texture as in rung 6, but with the filter that mixes. Make the object (9 lines).
  return error;
}

cudaError_t rotate(float* out, cudaTextureObject_t picture, int width, int height, float cosine, float sine) {
  const dim3 block(kBlockX, kBlockY);
  const dim3 grid((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY);
  rotate_kernel<<<grid, block>>>(out, picture, width, height, cosine, sine);
  return cudaGetLastError();
}
