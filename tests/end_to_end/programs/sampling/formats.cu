// Texels of every format: as they are, as fractions, filtered, as sRGB, through views, from plain memory.
#include <cuda_fp16.h>

#include <cmath>

#include "sampling.h"

namespace {

__global__ void floats4(cudaTextureObject_t t, const Place* at, float4* out) {
  out[threadIdx.x] = tex2D<float4>(t, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void integers4(cudaTextureObject_t t, const Place* at, float4* out) {
  const int4 v = tex2D<int4>(t, at[threadIdx.x].x, at[threadIdx.x].y);
  out[threadIdx.x] = {float(v.x), float(v.y), float(v.z), float(v.w)};
}
__global__ void by_index(cudaTextureObject_t t, int first, float4* out) {
  out[threadIdx.x] = tex1Dfetch<float4>(t, first + static_cast<int>(threadIdx.x));
}

std::vector<Place> places() {
  Random random(11);
  std::vector<Place> all;
  for (int i = 0; i < 24; ++i) all.push_back({random.between(-2, 9), random.between(-2, 5)});
  for (int i = 0; i < 8; ++i) all.push_back({static_cast<float>(i) + 0.5f, 1.5f});
  return all;
}

void show(const std::string& name, const cudaResourceDesc& r, const cudaTextureDesc& t, int channels,
          bool integers = false, const cudaResourceViewDesc* view = nullptr) {
  const std::vector<Place> at = places();
  float4* out = to_device(std::vector<float4>(at.size()));
  const auto texture = texture_of(r, t, view);
  if (texture == 0) return;
  (integers ? integers4 : floats4)<<<1, static_cast<unsigned>(at.size())>>>(texture, to_device(at), out);
  CHECK(cudaDeviceSynchronize());
  print(name, to_host(out, at.size()), channels);
}

/// A plane of 8 x 4 texels of any bits; floats are made of moderate size.
std::vector<unsigned char> any_texels(const cudaChannelFormatDesc& c) {
  Random random(5);
  const int channels = (c.x > 0) + (c.y > 0) + (c.z > 0) + (c.w > 0);
  std::vector<unsigned char> bytes;
  const auto append = [&](const auto& v) {
    const auto* p = reinterpret_cast<const unsigned char*>(&v);
    bytes.insert(bytes.end(), p, p + sizeof v);
  };
  for (int i = 0; i < 32 * channels; ++i) {
    if (c.f != cudaChannelFormatKindFloat) {
      for (int k = 0; k < c.x / 8; ++k) append(static_cast<unsigned char>(random.next()));
    } else if (c.x == 16) {
      append(__half(random.between(-8, 8)));
    } else {
      append(random.between(-8, 8));
    }
  }
  return bytes;
}

template <class T>
void all_reads(const std::string& name, cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>()) {
  const auto bytes = any_texels(channels);
  std::vector<T> texels(32);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(texels.data()));
  const auto r = resource_of(array_of(texels, channels, make_cudaExtent(8, 4, 0)));
  const bool floats = channels.f == cudaChannelFormatKindFloat;
  const auto clamp = cudaAddressModeClamp, border = cudaAddressModeBorder;
  for (const auto mode : {clamp, border}) {
    const std::string as = name + " " + name_of(mode);
    show(as + " elements", r, sampler(mode, cudaFilterModePoint, false), 4, !floats);
    if (floats) show(as + " mixed", r, sampler(mode, cudaFilterModeLinear, false), 4);
    if (floats || channels.x == 32) continue;
    const auto fraction = cudaReadModeNormalizedFloat;
    show(as + " fractions", r, sampler(mode, cudaFilterModePoint, false, fraction), 4);
    show(as + " fractions mixed", r, sampler(mode, cudaFilterModeLinear, false, fraction), 4);
  }
}

void srgb() {
  std::vector<uchar4> texels;
  for (int i = 0; i < 256; ++i) {
    const auto v = static_cast<unsigned char>(i);
    texels.push_back(make_uchar4(v, static_cast<unsigned char>(255 - i), v, v));
  }
  const auto r = resource_of(array_of(texels, cudaCreateChannelDesc<uchar4>(), make_cudaExtent(256, 1, 0)));
  for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    auto t = sampler(cudaAddressModeClamp, filter, false, cudaReadModeNormalizedFloat);
    t.sRGB = 1;
    std::vector<Place> at;
    for (int i = 0; i < 256; ++i)
      at.push_back({static_cast<float>(i) + (filter == cudaFilterModePoint ? 0.5f : 0.8f), 0.5f});
    float4* out = to_device(std::vector<float4>(256));
    floats4<<<1, 256>>>(texture_of(r, t), to_device(at), out);
    CHECK(cudaDeviceSynchronize());
    print(std::string("sRGB ") + name_of(filter), to_host(out, 256), 4);
  }
}

void views() {
  std::vector<unsigned> texels;
  for (unsigned i = 0; i < 32; ++i) texels.push_back(0x3f000000u + i * 0x123456u);
  const auto r = resource_of(array_of(texels, cudaCreateChannelDesc<unsigned>(), make_cudaExtent(8, 4, 0)));
  cudaResourceViewDesc view{};
  view.width = 8;
  view.height = 4;
  const auto point = cudaFilterModePoint, mixed = cudaFilterModeLinear;
  const auto clamp = cudaAddressModeClamp;
  view.format = cudaResViewFormatFloat1;
  show("integers viewed as floats", r, sampler(clamp, mixed, false), 4, false, &view);
  view.format = cudaResViewFormatUnsignedChar4;
  show("integers viewed as bytes", r, sampler(clamp, mixed, false, cudaReadModeNormalizedFloat), 4, false,
       &view);
  view.format = cudaResViewFormatSignedShort2;
  show("integers viewed as shorts", r, sampler(clamp, point, false), 4, true, &view);
  view.format = cudaResViewFormatHalf2;
  show("integers viewed as halves", r, sampler(clamp, point, false), 4, false, &view);
}

/// Texels of one width seen as another kind, read as they are.
template <class T>
void viewed(const std::string& name, cudaResourceViewFormat format) {
  const auto channels = cudaCreateChannelDesc<T>();
  const auto bytes = any_texels(channels);
  std::vector<T> texels(32);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(texels.data()));
  cudaResourceViewDesc view{};
  view.format = format;
  view.width = 8;
  view.height = 4;
  const auto r = resource_of(array_of(texels, channels, make_cudaExtent(8, 4, 0)));
  const auto point = cudaFilterModePoint, mixed = cudaFilterModeLinear;
  show(name + " elements", r, sampler(cudaAddressModeClamp, point, false), 4, true, &view);
  if (channels.x == 32) return;
  const auto fraction = cudaReadModeNormalizedFloat;
  show(name + " fractions", r, sampler(cudaAddressModeClamp, point, false, fraction), 4, false, &view);
  if (format == cudaResViewFormatUnsignedInt1) return;  // no numbers to mix
  show(name + " fractions mixed", r, sampler(cudaAddressModeClamp, mixed, false, fraction), 4, false, &view);
}

void more_views() {
  viewed<uchar4>("uchar4 viewed as uchar4", cudaResViewFormatUnsignedChar4);
  viewed<uchar4>("uchar4 viewed as char4", cudaResViewFormatSignedChar4);
  viewed<uchar4>("uchar4 viewed as unsigned", cudaResViewFormatUnsignedInt1);
  viewed<ushort2>("ushort2 viewed as short2", cudaResViewFormatSignedShort2);
  viewed<unsigned>("unsigned viewed as int", cudaResViewFormatSignedInt1);
  viewed<unsigned>("unsigned viewed as short2", cudaResViewFormatSignedShort2);
  viewed<unsigned>("unsigned viewed as uchar4", cudaResViewFormatUnsignedChar4);
}

void plain_memory() {
  std::vector<float4> texels;
  Random random(2);
  for (int i = 0; i < 32; ++i)
    texels.push_back({random.between(-1, 1), random.between(-1, 1), float(i), random.between(0, 9)});
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = to_device(texels);
  r.res.linear.desc = cudaCreateChannelDesc<float4>();
  r.res.linear.sizeInBytes = 8 * sizeof(float4);
  float4* out = to_device(std::vector<float4>(16));
  cudaTextureDesc plain{};
  by_index<<<1, 16>>>(texture_of(r, plain), -4, out);
  CHECK(cudaDeviceSynchronize());
  print("plain memory by index", to_host(out, 16), 4);
  r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = to_device(texels);
  r.res.pitch2D.desc = cudaCreateChannelDesc<float4>();
  r.res.pitch2D.width = 5;
  r.res.pitch2D.height = 4;
  r.res.pitch2D.pitchInBytes = 128;
  for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap})
    for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear})
      show(std::string("pitched ") + name_of(mode) + " " + name_of(filter), r, sampler(mode, filter, false),
           4);
}

}  // namespace

void sample_formats() {
  all_reads<unsigned char>("uchar");
  all_reads<uchar2>("uchar2");
  all_reads<uchar4>("uchar4");
  all_reads<char4>("char4");
  all_reads<unsigned short>("ushort");
  all_reads<short2>("short2");
  all_reads<ushort4>("ushort4");
  all_reads<int>("int");
  all_reads<uint2>("uint2");
  all_reads<float2>("float2");
  all_reads<float4>("float4");
  all_reads<__half>("half", cudaCreateChannelDescHalf());
  all_reads<__half2>("half2", cudaCreateChannelDescHalf2());
  srgb();
  views();
  more_views();
  plain_memory();
}
