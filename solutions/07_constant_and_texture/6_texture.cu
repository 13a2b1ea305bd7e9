// Rung 6: the four texels by the texture units, which clamp, and whose cache is made for squares.
#include "constant_and_texture.h"

constexpr int kBlockX = 32;  // a warp is 32 pixels of one row
constexpr int kBlockY = 8;

__global__ void rotate_kernel(float* out, cudaTextureObject_t picture, int width, int height, float cosine,
                              float sine) {
  const int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = x + 0.5f - 0.5f * width, v = y + 0.5f - 0.5f * height;
  const float sx = cosine * u - sine * v + 0.5f * width, sy = sine * u + cosine * v + 0.5f * height;
  // Centres of texels are at halves: half a texel to the left and up, they are at whole numbers.
  const float left = floorf(sx - 0.5f), top = floorf(sy - 0.5f);
  const float a = sx - 0.5f - left, b = sy - 0.5f - top;  // 0: at the left or upper texel, 1: at the other
  float mixed = 0;
  // TODO(1): the same four texels by tex2D<float>(picture, column, row), at their centres; places beyond
  //          the picture are allowed. Mix them as before (4 lines).
  // BEGIN SOLUTION
  const float i0 = left + 0.5f, j0 = top + 0.5f;  // the centre of the upper left one
  const float upper = (1 - a) * tex2D<float>(picture, i0, j0) + a * tex2D<float>(picture, i0 + 1, j0);
  const float lower = (1 - a) * tex2D<float>(picture, i0, j0 + 1) + a * tex2D<float>(picture, i0 + 1, j0 + 1);
  mixed = (1 - b) * upper + b * lower;
  // END SOLUTION
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

  // TODO(2): a cudaResourceDesc says what to read: the array. A cudaTextureDesc says how: places counted in
  //          texels, values as they are, of each place the texel that it lies in, and beyond the picture,
  //          in both directions, its outermost texel. Make the texture object of the two (9 lines).
  // BEGIN SOLUTION
  cudaResourceDesc resource{};  // what to read
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = picture.texels;
  cudaTextureDesc texture{};  // how to read it: places in texels, values as they are
  texture.normalizedCoords = 0;
  texture.readMode = cudaReadModeElementType;
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModePoint;
  error = cudaCreateTextureObject(&picture.texture, &resource, &texture, nullptr);
  // END SOLUTION
  return error;
}

cudaError_t rotate(float* out, cudaTextureObject_t picture, int width, int height, float cosine, float sine) {
  const dim3 block(kBlockX, kBlockY);
  const dim3 grid((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY);
  rotate_kernel<<<grid, block>>>(out, picture, width, height, cosine, sine);
  return cudaGetLastError();
}
