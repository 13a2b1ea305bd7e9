// Mipmapped arrays: by level, by gradient; filters within and between levels; bias, clamps, views.
#include "sampling.h"

namespace {

constexpr int kSize = 16, kLevels = 5;

__global__ void by_level1(cudaTextureObject_t t, const Place* at, float4* out) {
  out[threadIdx.x] = {tex1DLod<float>(t, at[threadIdx.x].x, at[threadIdx.x].w), 0, 0, 0};
}
__global__ void by_level2(cudaTextureObject_t t, const Place* at, float4* out) {
  const Place p = at[threadIdx.x];
  out[threadIdx.x] = {tex2DLod<float>(t, p.x, p.y, p.w), 0, 0, 0};
}
__global__ void by_level3(cudaTextureObject_t t, const Place* at, float4* out) {
  const Place p = at[threadIdx.x];
  out[threadIdx.x] = {tex3DLod<float>(t, p.x, p.y, p.z, p.w), 0, 0, 0};
}
__global__ void by_gradient2(cudaTextureObject_t t, const Place* at, float4* out) {
  const Place p = at[threadIdx.x];
  out[threadIdx.x] = {tex2DGrad<float>(t, p.x, p.y, p.dx, p.dy), 0, 0, 0};
}
__global__ void by_gradient1(cudaTextureObject_t t, const Place* at, float4* out) {
  const Place p = at[threadIdx.x];
  out[threadIdx.x] = {tex1DGrad<float>(t, p.x, p.dx.x, p.dy.x), 0, 0, 0};
}
__global__ void by_nothing(cudaTextureObject_t t, const Place* at, float4* out) {
  out[threadIdx.x] = {tex2D<float>(t, at[threadIdx.x].x, at[threadIdx.x].y), 0, 0, 0};
}

using Kernel = void (*)(cudaTextureObject_t, const Place*, float4*);

void show(const std::string& name, Kernel kernel, cudaTextureObject_t t, const std::vector<Place>& at) {
  if (t == 0) return;
  float4* out = to_device(std::vector<float4>(at.size()));
  kernel<<<1, static_cast<unsigned>(at.size())>>>(t, to_device(at), out);
  CHECK(cudaDeviceSynchronize());
  print(name, to_host(out, at.size()), 1);
}

cudaMipmappedArray_t pyramid(int axes) {
  cudaMipmappedArray_t all = nullptr;
  const auto floats = cudaCreateChannelDesc<float>();
  const auto extent = [&](int level) {
    const std::size_t n = kSize >> level;
    return make_cudaExtent(n, axes > 1 ? n : 0, axes > 2 ? n : 0);
  };
  CHECK(cudaMallocMipmappedArray(&all, &floats, extent(0), kLevels));
  for (int k = 0; k < kLevels; ++k) {
    cudaArray_t level = nullptr;
    CHECK(cudaGetMipmappedArrayLevel(&level, all, static_cast<unsigned>(k)));
    const std::size_t n = kSize >> k, rows = axes > 1 ? n : 1, slices = axes > 2 ? n : 1;
    Random random(static_cast<std::uint32_t>(29 + k));
    std::vector<float> texels;
    for (std::size_t i = 0; i < n * rows * slices; ++i)
      texels.push_back(static_cast<float>(100 * k) + random.between(0, 50));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), n * sizeof(float), n, rows);
    copy.dstArray = level;
    copy.extent = make_cudaExtent(n, rows, slices);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
  }
  return all;
}

cudaResourceDesc resource(cudaMipmappedArray_t array) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = array;
  return r;
}

cudaTextureDesc mip_sampler(cudaTextureFilterMode within, cudaTextureFilterMode between, float bias = 0,
                            float least = 0, float greatest = kLevels - 1) {
  cudaTextureDesc t = sampler(cudaAddressModeWrap, within, true);
  t.mipmapFilterMode = between;
  t.mipmapLevelBias = bias;
  t.minMipmapLevelClamp = least;
  t.maxMipmapLevelClamp = greatest;
  return t;
}

/// Levels below, on, halfway and just beside halfway between, and beyond those that there are.
std::vector<Place> levels() {
  std::vector<Place> all;
  Random random(31);
  for (const float level : {-2.f, -0.25f, 0.f, 0.25f, 0.499f, 0.5f, 0.501f, 1.f, 1.0f + 1 / 512.f, 1.5f, 2.3f,
                            2.5f, 3.7f, 4.f, 4.4f, 9.f})
    for (int k = 0; k < 3; ++k)
      all.push_back({random.between(-0.2f, 1.2f), random.between(-0.2f, 1.2f), random.between(0, 1), level});
  return all;
}

/// Steps from an eighth of a texel to 40 texels, along the axes and across.
std::vector<Place> gradients() {
  std::vector<Place> all;
  Random random(37);
  for (float texels = 0.125f; texels < 41; texels *= 1.37f) {
    const float s = texels / kSize;
    for (int k = 0; k < 4; ++k) {
      Place p{random.between(0, 1), random.between(0, 1)};
      p.dx = k == 3 ? make_float2(0.6f * s, -0.8f * s) : make_float2(k == 1 ? 0 : s, 0);
      p.dy = k == 3 ? make_float2(0.3f * s, 0.1f * s) : make_float2(0, k == 0 ? 0 : k == 1 ? s : s / 2);
      all.push_back(p);
    }
  }
  return all;
}

}  // namespace

void sample_mipmaps() {
  const auto line = resource(pyramid(1)), plane = resource(pyramid(2)), volume = resource(pyramid(3));
  const auto point = cudaFilterModePoint, linear = cudaFilterModeLinear;
  for (const auto within : {point, linear}) {
    for (const auto between : {point, linear}) {
      const std::string as = std::string(" ") + name_of(within) + ", between levels " + name_of(between);
      const auto s = mip_sampler(within, between);
      show("mipmap 1d" + as, by_level1, texture_of(line, s), levels());
      show("mipmap 2d" + as, by_level2, texture_of(plane, s), levels());
      show("mipmap 3d" + as, by_level3, texture_of(volume, s), levels());
      show("mipmap 1d gradients" + as, by_gradient1, texture_of(line, s), gradients());
      show("mipmap 2d gradients" + as, by_gradient2, texture_of(plane, s), gradients());
      show("mipmap 2d plain" + as, by_nothing, texture_of(plane, s), levels());
      show("mipmap bias 0.75" + as, by_level2, texture_of(plane, mip_sampler(within, between, 0.75f)),
           levels());
      show("mipmap bias -1.3" + as, by_level2, texture_of(plane, mip_sampler(within, between, -1.3f)),
           levels());
      show("mipmap from 0.6 to 2.4" + as, by_level2,
           texture_of(plane, mip_sampler(within, between, 0, 0.6f, 2.4f)), levels());
      show("mipmap greatest 0" + as, by_level2, texture_of(plane, mip_sampler(within, between, 0, 0, 0)),
           levels());
      show("mipmap plain, bias 1.5" + as, by_nothing, texture_of(plane, mip_sampler(within, between, 1.5f)),
           levels());
      show("mipmap plain, least 2" + as, by_nothing, texture_of(plane, mip_sampler(within, between, 0, 2, 4)),
           levels());
      cudaResourceViewDesc view{};
      view.format = cudaResViewFormatFloat1;
      view.width = view.height = kSize;
      view.firstMipmapLevel = 1;
      view.lastMipmapLevel = 3;
      show("mipmap levels 1 to 3" + as, by_level2, texture_of(plane, s, &view), levels());
    }
  }
}
