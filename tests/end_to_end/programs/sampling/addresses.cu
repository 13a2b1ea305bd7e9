// Address modes and filters of lines, planes and volumes of floats, at coordinates of every kind.
#include <cmath>

#include "sampling.h"

namespace {

template <int kAxes>
__global__ void read(cudaTextureObject_t t, const Place* at, float4* out) {
  const Place p = at[threadIdx.x];
  float v = 0;
  if (kAxes == 1) v = tex1D<float>(t, p.x);
  if (kAxes == 2) v = tex2D<float>(t, p.x, p.y);
  if (kAxes == 3) v = tex3D<float>(t, p.x, p.y, p.z);
  out[threadIdx.x] = {v, 0, 0, 0};
}

/// Inside and outside; texels' edges and middles; steps of filter weights and halves of them; the far away.
std::vector<Place> places(int width, int height, int depth, bool normalized) {
  Random random(7);
  std::vector<float> offsets = {0,      0.5f,  1,  1.5f,   0.5f + 1 / 512.f, 0.5f + 3 / 512.f, 1 / 256.f,
                                -0.25f, -0.5f, -1, -1.75f, 0.999f,           -0.001f,          2.25f};
  std::vector<Place> all;
  const auto scaled = [&](float v, int size) { return normalized ? v / static_cast<float>(size) : v; };
  for (const float o : offsets) all.push_back({scaled(o, width), scaled(1.5f, height), scaled(0.5f, depth)});
  for (const float o : offsets)
    all.push_back({scaled(static_cast<float>(width) + o, width), scaled(o, height), scaled(o + 1, depth)});
  for (int i = 0; i < 28; ++i)
    all.push_back({scaled(random.between(-10, 20), width), scaled(random.between(-6, 12), height),
                   scaled(random.between(-5, 9), depth)});
  for (const float far : {1e5f, -1e5f, 1e20f, -1e20f, INFINITY, -INFINITY, NAN, 3e-39f})
    all.push_back({far, scaled(0.5f, height), scaled(0.5f, depth)});
  return all;
}

template <int kAxes>
void all_modes(const char* shape, cudaExtent extent) {
  const int w = static_cast<int>(extent.width), h = kAxes > 1 ? static_cast<int>(extent.height) : 1,
            d = kAxes > 2 ? static_cast<int>(extent.depth) : 1;
  Random random(3);
  std::vector<float> texels;
  for (int i = 0; i < w * h * d; ++i) texels.push_back(random.between(-100, 100));
  const cudaArray_t array = array_of(texels, cudaCreateChannelDesc<float>(), extent);
  for (const auto mode :
       {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder}) {
    for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
      for (const bool normalized : {false, true}) {
        const auto t = texture_of(resource_of(array), sampler(mode, filter, normalized));
        if (t == 0) continue;
        const std::vector<Place> at = places(w, h, d, normalized);
        float4* out = to_device(std::vector<float4>(at.size()));
        read<kAxes><<<1, static_cast<unsigned>(at.size())>>>(t, to_device(at), out);
        CHECK(cudaDeviceSynchronize());
        print(std::string(shape) + " " + name_of(mode) + " " + name_of(filter) +
                  (normalized ? " normalized" : ""),
              to_host(out, at.size()), 1);
      }
    }
  }
}

/// Just above a third, by one bit further down each time: how many bits of a normalised coordinate count.
void precision() {
  const cudaArray_t array =
      array_of(std::vector<float>{0, 1, 2}, cudaCreateChannelDesc<float>(), make_cudaExtent(3, 0, 0));
  for (const auto mode : {cudaAddressModeWrap, cudaAddressModeClamp}) {
    for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
      std::vector<Place> at;
      for (int bits = 8; bits <= 24; ++bits)
        at.push_back(
            {static_cast<float>(std::ceil((filter == cudaFilterModePoint ? 1 / 3.0 : 1 / 3.0 + 1 / 1536.0) *
                                          std::ldexp(1.0, bits)) /
                                std::ldexp(1.0, bits))});
      float4* out = to_device(std::vector<float4>(at.size()));
      read<1><<<1, static_cast<unsigned>(at.size())>>>(
          texture_of(resource_of(array), sampler(mode, filter, true)), to_device(at), out);
      CHECK(cudaDeviceSynchronize());
      print(std::string("precision ") + name_of(mode) + " " + name_of(filter), to_host(out, at.size()), 1);
    }
  }
}

}  // namespace

void sample_addresses() {
  all_modes<1>("1d", make_cudaExtent(13, 0, 0));
  all_modes<1>("1d of 16", make_cudaExtent(16, 0, 0));
  all_modes<2>("2d", make_cudaExtent(7, 5, 0));
  all_modes<3>("3d", make_cudaExtent(4, 3, 5));
  precision();
}
