// Reads of textures and surfaces, printed: what a GPU gave (h200.txt) is the truth for the simulator.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

inline void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::printf("%s: %s\n", call, cudaGetErrorName(code));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

/// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}
  std::uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  float between(float low, float high) {
    return low + (high - low) * (static_cast<float>(next()) / (1 << 24));
  }

 private:
  std::uint32_t state_;
};

template <class T>
T* to_device(const std::vector<T>& values) {
  void* p = nullptr;
  CHECK(cudaMalloc(&p, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(p);
}
template <class T>
std::vector<T> to_host(const T* p, std::size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

/// Fills an array again.
template <class T>
void write_back(cudaArray_t array, const std::vector<T>& texels, cudaExtent extent) {
  const std::size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
  cudaMemcpy3DParms copy{};
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<T*>(texels.data()), extent.width * sizeof(T), extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
}

/// An array of @p extent (CUDA's: 0 for axes that it does not have) with these texels.
template <class T>
cudaArray_t array_of(const std::vector<T>& texels, cudaChannelFormatDesc channels, cudaExtent extent,
                     unsigned flags = 0) {
  cudaArray_t array = nullptr;
  CHECK(cudaMalloc3DArray(&array, &channels, extent, flags));
  write_back(array, texels, extent);
  return array;
}

inline cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  return r;
}

inline cudaTextureDesc sampler(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized,
                               cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc t{};
  t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
  t.filterMode = filter;
  t.normalizedCoords = normalized;
  t.readMode = read;
  t.borderColor[0] = 0.75f;
  t.borderColor[1] = -2.5f;
  t.borderColor[2] = 300.0f;
  t.borderColor[3] = 1.0f;
  return t;
}

/// @return 0, after printing why, where there can be no such texture
inline cudaTextureObject_t texture_of(const cudaResourceDesc& r, const cudaTextureDesc& t,
                                      const cudaResourceViewDesc* view = nullptr) {
  cudaTextureObject_t object = 0;
  const cudaError_t code = cudaCreateTextureObject(&object, &r, &t, view);
  if (code != cudaSuccess) std::printf("no texture: %s\n", cudaGetErrorName(code));
  return object;
}

/// A place to read at: coordinates, level or layer, gradients.
struct Place {
  float x = 0, y = 0, z = 0, w = 0;
  float2 dx{}, dy{};
};

/// Prints "name: values of the first place, of the second, ...", of each the first @p channels of four.
void print(const std::string& name, const std::vector<float4>& values, int channels);

inline const char* name_of(cudaTextureAddressMode m) {
  const char* names[] = {"wrap", "clamp", "mirror", "border"};
  return names[m];
}
inline const char* name_of(cudaTextureFilterMode m) { return m == cudaFilterModeLinear ? "linear" : "point"; }

/// One function for each kind of thing that is read.
void sample_addresses();
void sample_formats();
void sample_shapes();
void sample_mipmaps();
void sample_surfaces();
