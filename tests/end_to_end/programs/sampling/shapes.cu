// Layers, cubes, gathers.
#include <cmath>

#include "sampling.h"

namespace {

__global__ void layers1(cudaTextureObject_t t, const Place* at, float4* out) {
  out[threadIdx.x] = {tex1DLayered<float>(t, at[threadIdx.x].x, static_cast<int>(at[threadIdx.x].w)), 0, 0,
                      0};
}
__global__ void layers2(cudaTextureObject_t t, const Place* at, float4* out) {
  const Place p = at[threadIdx.x];
  out[threadIdx.x] = {tex2DLayered<float>(t, p.x, p.y, static_cast<int>(p.w)), 0, 0, 0};
}
__global__ void cube(cudaTextureObject_t t, const Place* at, float4* out) {
  const Place p = at[threadIdx.x];
  out[threadIdx.x] = {texCubemap<float>(t, p.x, p.y, p.z), 0, 0, 0};
}
__global__ void cubes(cudaTextureObject_t t, const Place* at, float4* out) {
  const Place p = at[threadIdx.x];
  out[threadIdx.x] = {texCubemapLayered<float>(t, p.x, p.y, p.z, static_cast<int>(p.w)), 0, 0, 0};
}
template <int kChannel>
__global__ void gather(cudaTextureObject_t t, const Place* at, float4* out) {
  out[threadIdx.x] = tex2Dgather<float4>(t, at[threadIdx.x].x, at[threadIdx.x].y, kChannel);
}

using Kernel = void (*)(cudaTextureObject_t, const Place*, float4*);

void show(const std::string& name, Kernel kernel, cudaTextureObject_t t, const std::vector<Place>& at,
          int channels = 1) {
  if (t == 0) return;
  float4* out = to_device(std::vector<float4>(at.size()));
  kernel<<<1, static_cast<unsigned>(at.size())>>>(t, to_device(at), out);
  CHECK(cudaDeviceSynchronize());
  print(name, to_host(out, at.size()), channels);
}

std::vector<float> texels(int count) {
  Random random(13);
  std::vector<float> all;
  for (int i = 0; i < count; ++i) all.push_back(random.between(-50, 50));
  return all;
}

void layered() {
  const auto floats = cudaCreateChannelDesc<float>();
  const auto line = resource_of(array_of(texels(24), floats, make_cudaExtent(6, 0, 4), cudaArrayLayered));
  const auto plane = resource_of(array_of(texels(80), floats, make_cudaExtent(5, 4, 4), cudaArrayLayered));
  Random random(17);
  for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap}) {
    for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
      const bool normalized = mode == cudaAddressModeWrap;
      const float scale = normalized ? 0.2f : 1;
      std::vector<Place> at;
      for (int i = 0; i < 32; ++i)
        at.push_back(
            {scale * random.between(-2, 8), scale * random.between(-2, 6), 0, static_cast<float>(i % 8 - 2)});
      const auto s = sampler(mode, filter, normalized);
      const std::string as = std::string(name_of(mode)) + " " + name_of(filter);
      show("layers of lines " + as, layers1, texture_of(line, s), at);
      show("layers of planes " + as, layers2, texture_of(plane, s), at);
    }
  }
}

/// Directions everywhere, into corners and along edges, not of unit length.
std::vector<Place> directions() {
  Random random(19);
  std::vector<Place> all;
  for (int i = 0; i < 64; ++i) {
    const float r = random.between(0.1f, 4);
    all.push_back({r * random.between(-1, 1), r * random.between(-1, 1), r * random.between(-1, 1),
                   static_cast<float>(i % 4 - 1)});
  }
  for (int i = 0; i < 27; ++i)
    all.push_back(
        {static_cast<float>(i % 3 - 1), static_cast<float>(i / 3 % 3 - 1), static_cast<float>(i / 9 - 1), 1});
  for (int i = 0; i < 16; ++i)  // near the edges
    all.push_back({1, i % 2 ? 0.97f : -0.98f, 0.1f * static_cast<float>(i) - 0.7f, 0});
  return all;
}

void cubemaps() {
  const auto floats = cudaCreateChannelDesc<float>();
  const auto one = resource_of(array_of(texels(6 * 16), floats, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
  const auto two = resource_of(
      array_of(texels(12 * 16), floats, make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered));
  for (const auto mode : {cudaAddressModeClamp, cudaAddressModeWrap, cudaAddressModeBorder}) {
    for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
      const auto s = sampler(mode, filter, true);
      const std::string as = std::string(name_of(mode)) + " " + name_of(filter);
      show("cube " + as, cube, texture_of(one, s), directions());
      show("cubes " + as, cubes, texture_of(two, s), directions());
    }
  }
}

void gathers() {
  std::vector<float4> colours;
  const auto all = texels(5 * 4 * 4);
  for (std::size_t i = 0; i < 20; ++i)
    colours.push_back({all[4 * i], all[4 * i + 1], all[4 * i + 2], all[4 * i + 3]});
  const auto r = resource_of(
      array_of(colours, cudaCreateChannelDesc<float4>(), make_cudaExtent(5, 4, 0), cudaArrayTextureGather));
  Random random(23);
  for (const auto mode :
       {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror}) {
    const bool normalized = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    const float scale = normalized ? 0.2f : 1;
    std::vector<Place> at;
    for (int i = 0; i < 24; ++i) at.push_back({scale * random.between(-2, 8), scale * random.between(-2, 6)});
    const auto t = texture_of(r, sampler(mode, cudaFilterModePoint, normalized));
    show(std::string("gather x ") + name_of(mode), gather<0>, t, at, 4);
    show(std::string("gather y ") + name_of(mode), gather<1>, t, at, 4);
    show(std::string("gather z ") + name_of(mode), gather<2>, t, at, 4);
    show(std::string("gather w ") + name_of(mode), gather<3>, t, at, 4);
  }
}

}  // namespace

void sample_shapes() {
  layered();
  cubemaps();
  gathers();
}
