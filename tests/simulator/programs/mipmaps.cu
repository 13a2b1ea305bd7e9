// Mipmapped arrays and sRGB texels: levels by number, by fraction and by gradient, views of some levels.
#include <cmath>

#include "program.h"

namespace {

constexpr int kSize = 16, kLevels = 5;

__global__ void at_levels(cudaTextureObject_t t, float* out, float step) {
  out[threadIdx.x] = tex2DLod<float>(t, 0.4f, 0.6f, step * threadIdx.x - 1);
}
__global__ void by_gradient(cudaTextureObject_t t, float* out) {
  const float texels = static_cast<float>(1 << threadIdx.x) / kSize;  // from one thread to the next
  out[threadIdx.x] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(texels, 0), make_float2(0, texels / 2));
}
__global__ void plain(cudaTextureObject_t t, float* out) { *out = tex2D<float>(t, 0.5f, 0.5f); }
__global__ void volume(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex3DLod<float>(t, 0.5f, 0.5f, 0.5f, threadIdx.x);
}
__global__ void colours(cudaTextureObject_t t, float4* out) {
  out[threadIdx.x] = tex2D<float4>(t, threadIdx.x, 0.f);
}

cudaTextureObject_t texture_of(cudaMipmappedArray_t array, cudaTextureFilterMode between, float bias = 0,
                               const cudaResourceViewDesc* view = nullptr) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureDesc texture{};
  texture.addressMode[0] = texture.addressMode[1] = texture.addressMode[2] = cudaAddressModeClamp;
  texture.normalizedCoords = 1;
  texture.mipmapFilterMode = between;
  texture.mipmapLevelBias = bias;
  texture.maxMipmapLevelClamp = kLevels - 1;
  cudaTextureObject_t object = 0;
  return cudaCreateTextureObject(&object, &resource, &texture, view) == cudaSuccess ? object : 0;
}

/// Level k is filled with 10 k^2.
float value_of(int level) { return 10.0f * static_cast<float>(level * level); }

bool fill(cudaMipmappedArray_t array, int depth) {
  for (int k = 0; k < kLevels; ++k) {
    cudaArray_t level = nullptr;
    cudaExtent extent{};
    CUDA_OK(cudaGetMipmappedArrayLevel(&level, array, k));
    CUDA_OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    const int size = kSize >> k;
    EXPECT(extent.width == size && extent.height == size && extent.depth == (depth >> k));
    std::vector<float> texels(size * size * std::max(1, depth >> k), value_of(k));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), size * sizeof(float), size, size);
    copy.dstArray = level;
    copy.extent = make_cudaExtent(size, size, std::max(1, depth >> k));
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_OK(cudaMemcpy3D(&copy));
  }
  return true;
}

/// What a read at a level of detail is to give.
float expected(float level, bool mixed, float least, float greatest) {
  level = std::fmin(std::fmax(level, least), greatest);
  if (!mixed) return value_of(static_cast<int>(std::floor(level + 0.5f)));
  const int below = static_cast<int>(level);
  const float fraction = level - below;
  return value_of(below) * (1 - fraction) + (fraction > 0 ? value_of(below + 1) * fraction : 0);
}

bool check_levels(cudaMipmappedArray_t array, float* out) {
  for (const bool mixed : {false, true}) {
    for (const float bias : {0.0f, 1.0f}) {
      for (const bool part : {false, true}) {
        cudaResourceViewDesc view{};
        view.format = cudaResViewFormatFloat1;
        view.width = view.height = kSize;
        view.firstMipmapLevel = 1;
        view.lastMipmapLevel = 3;
        const auto t = texture_of(array, mixed ? cudaFilterModeLinear : cudaFilterModePoint, bias,
                                  part ? &view : nullptr);
        EXPECT(t != 0);
        at_levels<<<1, 64>>>(t, out, 0.109375f);  // never halfway between two levels
        CUDA_OK(cudaDeviceSynchronize());
        const auto got = to_host(out, 64);
        for (int i = 0; i < 64; ++i) {
          const float level = 0.109375f * static_cast<float>(i) - 1 + bias;
          const float want = part ? expected(std::fmin(std::fmax(level, 0.f), 2.f) + 1, mixed, 1, 3)
                                  : expected(level, mixed, 0, kLevels - 1);
          EXPECT(std::fabs(got[i] - want) <= (mixed ? 90.0f / 256 : 0));
        }
        CUDA_OK(cudaDestroyTextureObject(t));
      }
    }
  }
  return true;
}

bool check_gradients(cudaMipmappedArray_t array, float* out) {
  const auto t = texture_of(array, cudaFilterModePoint);
  by_gradient<<<1, 5>>>(t, out);
  CUDA_OK(cudaDeviceSynchronize());
  const auto got = to_host(out, 5);
  for (int i = 0; i < 5; ++i) EXPECT(got[i] == value_of(i));
  plain<<<1, 1>>>(t, out);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(to_host(out, 1)[0] == value_of(0));
  cudaResourceDesc resource{};
  CUDA_OK(cudaGetTextureObjectResourceDesc(&resource, t));
  EXPECT(resource.resType == cudaResourceTypeMipmappedArray && resource.res.mipmap.mipmap == array);
  CUDA_OK(cudaDestroyTextureObject(t));
  return true;
}

bool check_mipmaps() {
  float* out = to_device(std::vector<float>(64));
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array = nullptr, deep = nullptr;
  CUDA_OK(cudaMallocMipmappedArray(&array, &floats, make_cudaExtent(kSize, kSize, 0), 20));  // as many as fit
  cudaArray_t none = nullptr;
  EXPECT(cudaGetMipmappedArrayLevel(&none, array, kLevels) == cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT(fill(array, 0) && check_levels(array, out) && check_gradients(array, out));
  CUDA_OK(cudaMallocMipmappedArray(&deep, &floats, make_cudaExtent(kSize, kSize, kSize), kLevels));
  EXPECT(fill(deep, kSize));
  const auto t = texture_of(deep, cudaFilterModePoint);
  volume<<<1, kLevels>>>(t, out);
  CUDA_OK(cudaDeviceSynchronize());
  const auto got = to_host(out, kLevels);
  for (int k = 0; k < kLevels; ++k) EXPECT(got[k] == value_of(k));
  CUDA_OK(cudaDestroyTextureObject(t));
  CUDA_OK(cudaFreeMipmappedArray(array));
  CUDA_OK(cudaFreeMipmappedArray(deep));
  CUDA_OK(cudaFree(out));
  return true;
}

/// Bytes read as sRGB: three channels are made linear, alpha is not.
bool check_srgb() {
  std::vector<uchar4> texels;
  for (int i = 0; i < 256; ++i) {
    const auto v = static_cast<unsigned char>(i);
    texels.push_back(make_uchar4(v, v, v, v));
  }
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array = nullptr;
  CUDA_OK(cudaMallocArray(&array, &bytes, 256, 1));
  CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 1024, 1024, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  texture.readMode = cudaReadModeNormalizedFloat;
  texture.sRGB = 1;
  cudaTextureObject_t t = 0;
  CUDA_OK(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  float4* out = to_device(std::vector<float4>(256));
  colours<<<1, 256>>>(t, out);
  CUDA_OK(cudaDeviceSynchronize());
  const auto got = to_host(out, 256);
  for (int i = 0; i < 256; ++i) {
    const double v = i / 255.0, linear = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    EXPECT(std::fabs(got[i].x - linear) <= 1.0 / 256 && got[i].x == got[i].y && got[i].y == got[i].z);
    EXPECT(std::fabs(got[i].w - v) <= 1e-6);
  }
  CUDA_OK(cudaDestroyTextureObject(t));
  CUDA_OK(cudaFreeArray(array));
  CUDA_OK(cudaFree(out));
  return true;
}

}  // namespace

extern "C" bool check() { return check_mipmaps() && check_srgb(); }
