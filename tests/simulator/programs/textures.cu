// Textures against the formulas of the CUDA C++ Programming Guide, "Texture Fetching": one, two and three
// dimensions, layers, every address mode, point and linear filtering, fractions, gathers, plain memory.
#include <cmath>
#include <random>

#include "program.h"

namespace {

std::mt19937 generator(7);
float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(generator); }

/// The index that an address mode makes of one outside, or -1 for the border.
int addressed(int i, int n, cudaTextureAddressMode mode) {
  if (mode == cudaAddressModeWrap) return (i % n + n) % n;
  if (mode == cudaAddressModeMirror) {
    const int within = (i % (2 * n) + 2 * n) % (2 * n);
    return within < n ? within : 2 * n - 1 - within;
  }
  if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

struct Picture {
  int width, height, depth;
  std::vector<float> texels;
  Picture(int w, int h, int d) : width(w), height(h), depth(d) {
    for (int i = 0; i < w * h * d; ++i) texels.push_back(uniform(0, 1));
  }
  float at(int x, int y, int z, cudaTextureAddressMode mode) const {
    const int i = addressed(x, width, mode), j = addressed(y, height, mode), k = addressed(z, depth, mode);
    return i < 0 || j < 0 || k < 0 ? 0 : texels[static_cast<std::size_t>((k * height + j) * width + i)];
  }
  /// Mixes the texels around a place given in texels; coordinates have 8 bits behind the point.
  float linear(double x, double y, double z, cudaTextureAddressMode mode) const {
    const auto fixed = [](double v) { return std::floor((v - 0.5) * 256 + 0.5) / 256; };
    const double fx = fixed(x), fy = height > 1 ? fixed(y) : 0, fz = depth > 1 ? fixed(z) : 0;
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const int i = int(std::floor(fx)) + (corner & 1), j = int(std::floor(fy)) + (corner >> 1 & 1),
                k = int(std::floor(fz)) + (corner >> 2);
      const double a = fx - std::floor(fx), b = fy - std::floor(fy), c = fz - std::floor(fz);
      const double weight = (corner & 1 ? a : 1 - a) * (corner & 2 ? b : 1 - b) * (corner & 4 ? c : 1 - c);
      if (weight > 0) sum += weight * at(i, j, k, mode);
    }
    return static_cast<float>(sum);
  }
};

// Weights are rounded to 1/256 after they are multiplied: half of that for each of up to three.
bool close(float a, float b) { return std::fabs(a - b) <= 2.0f / 256; }

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                               bool normalized, cudaTextureReadMode read = cudaReadModeElementType) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  texture.addressMode[0] = texture.addressMode[1] = texture.addressMode[2] = mode;
  texture.filterMode = filter;
  texture.normalizedCoords = normalized;
  texture.readMode = read;
  cudaTextureObject_t object = 0;
  return cudaCreateTextureObject(&object, &resource, &texture, nullptr) == cudaSuccess ? object : 0;
}

__global__ void read1(cudaTextureObject_t t, const float* x, float* out) {
  out[threadIdx.x] = tex1D<float>(t, x[3 * threadIdx.x]);
}
__global__ void read2(cudaTextureObject_t t, const float* x, float* out) {
  out[threadIdx.x] = tex2D<float>(t, x[3 * threadIdx.x], x[3 * threadIdx.x + 1]);
}
__global__ void read3(cudaTextureObject_t t, const float* x, float* out) {
  out[threadIdx.x] = tex3D<float>(t, x[3 * threadIdx.x], x[3 * threadIdx.x + 1], x[3 * threadIdx.x + 2]);
}

constexpr int kPoints = 512;

template <class Kernel>
bool check_picture(const Picture& p, cudaArray_t array, Kernel kernel) {
  const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                          cudaAddressModeBorder};
  for (const auto mode : modes) {
    for (const bool normalized : {true, false}) {
      // Lines read with a border take half of it, an oddity of the hardware that the guide does not mention.
      if (p.height == 1 && mode == cudaAddressModeBorder) continue;
      if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) continue;
      std::vector<float> x;
      for (int i = 0; i < kPoints; ++i) {
        x.push_back(normalized ? uniform(-2, 3) : uniform(-3, float(p.width + 3)));
        x.push_back(normalized ? uniform(-2, 3) : uniform(-3, float(p.height + 3)));
        x.push_back(normalized ? uniform(-2, 3) : uniform(-3, float(p.depth + 3)));
      }
      float *places = to_device(x), *out = to_device(std::vector<float>(kPoints));
      for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
        const cudaTextureObject_t t = texture_of(array, mode, filter, normalized);
        EXPECT(t != 0);
        kernel<<<1, kPoints>>>(t, places, out);
        CUDA_OK(cudaDeviceSynchronize());
        const auto got = to_host(out, kPoints);
        for (int i = 0; i < kPoints; ++i) {
          const double u = double(x[3 * i]) * (normalized ? p.width : 1),
                       v = double(x[3 * i + 1]) * (normalized ? p.height : 1),
                       w = double(x[3 * i + 2]) * (normalized ? p.depth : 1);
          const float want = filter == cudaFilterModeLinear
                                 ? p.linear(u, v, w, mode)
                                 : p.at(int(std::floor(u)), p.height > 1 ? int(std::floor(v)) : 0,
                                        p.depth > 1 ? int(std::floor(w)) : 0, mode);
          EXPECT(filter == cudaFilterModeLinear ? close(got[i], want) : got[i] == want);
        }
        CUDA_OK(cudaDestroyTextureObject(t));
      }
      CUDA_OK(cudaFree(places));
      CUDA_OK(cudaFree(out));
    }
  }
  return true;
}

bool check_dimensions() {
  const auto channels = cudaCreateChannelDesc<float>();
  const Picture line(13, 1, 1), plane(7, 5, 1), volume(4, 3, 5);
  cudaArray_t a1, a2, a3;
  CUDA_OK(cudaMallocArray(&a1, &channels, 13));
  CUDA_OK(cudaMemcpy2DToArray(a1, 0, 0, line.texels.data(), 52, 52, 1, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMallocArray(&a2, &channels, 7, 5));
  CUDA_OK(cudaMemcpy2DToArray(a2, 0, 0, plane.texels.data(), 28, 28, 5, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMalloc3DArray(&a3, &channels, make_cudaExtent(4, 3, 5)));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(volume.texels.data()), 16, 4, 3);
  copy.dstArray = a3;
  copy.extent = make_cudaExtent(4, 3, 5);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_OK(cudaMemcpy3D(&copy));
  if (!check_picture(line, a1, read1) || !check_picture(plane, a2, read2) ||
      !check_picture(volume, a3, read3))
    return false;
  std::vector<float> back(60);
  copy = {};
  copy.srcArray = a3;
  copy.dstPtr = make_cudaPitchedPtr(back.data(), 16, 4, 3);
  copy.extent = make_cudaExtent(4, 3, 5);
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA_OK(cudaMemcpy3D(&copy));
  EXPECT(back == volume.texels);
  for (cudaArray_t a : {a1, a2, a3}) CUDA_OK(cudaFreeArray(a));
  return true;
}

__global__ void read_fractions(cudaTextureObject_t t, float4* out) {
  out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 1.5f);
}
__global__ void read_integers(cudaTextureObject_t t, short2* out) {
  out[threadIdx.x] = tex2D<short2>(t, threadIdx.x + 0.5f, 0.5f);
}
__global__ void read_memory(cudaTextureObject_t t, int* out) {
  out[threadIdx.x] = tex1Dfetch<int>(t, int(threadIdx.x) - 2);
}
__global__ void gather(cudaTextureObject_t t, float4* out) {
  out[threadIdx.x] = tex2Dgather<float4>(t, float(threadIdx.x), 2.0f, 0);
}
__global__ void read_layers(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(t, 1.5f, 0.5f, threadIdx.x);
}
__global__ void read_faces(cudaTextureObject_t t, float* out) {
  const float x[6] = {1, -1, 0, 0, 0, 0}, y[6] = {0, 0, 1, -1, 0, 0}, z[6] = {0, 0, 0, 0, 1, -1};
  out[threadIdx.x] = texCubemap<float>(t, x[threadIdx.x], y[threadIdx.x], z[threadIdx.x]);
}

bool check_formats() {
  std::vector<uchar4> bytes(12);
  for (auto& b : bytes)
    b = make_uchar4(generator() & 255, generator() & 255, generator() & 255, generator() & 255);
  cudaArray_t a;
  auto channels = cudaCreateChannelDesc<uchar4>();
  CUDA_OK(cudaMallocArray(&a, &channels, 4, 3));
  CUDA_OK(cudaMemcpy2DToArray(a, 0, 0, bytes.data(), 16, 16, 3, cudaMemcpyHostToDevice));
  float4* fractions = to_device(std::vector<float4>(4));
  read_fractions<<<1, 4>>>(
      texture_of(a, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat),
      fractions);
  CUDA_OK(cudaDeviceSynchronize());
  const auto f = to_host(fractions, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT(f[i].x == bytes[4 + i].x / 255.0f);
    EXPECT(f[i].w == bytes[4 + i].w / 255.0f);
  }
  std::vector<short2> shorts{{-32768, 1}, {7, -9}, {32767, 0}};
  channels = cudaCreateChannelDesc<short2>();
  cudaArray_t b;
  CUDA_OK(cudaMallocArray(&b, &channels, 3, 1));
  CUDA_OK(cudaMemcpyToArray(b, 0, 0, shorts.data(), 12, cudaMemcpyHostToDevice));
  short2* out = to_device(std::vector<short2>(3));
  read_integers<<<1, 3>>>(texture_of(b, cudaAddressModeClamp, cudaFilterModePoint, false), out);
  const auto s = to_host(out, 3);
  for (int i = 0; i < 3; ++i) EXPECT(s[i].x == shorts[i].x && s[i].y == shorts[i].y);
  return true;
}

bool check_memory() {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = to_device(std::vector<int>{10, 11, 12, 13, 14});
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 4 * sizeof(int);
  cudaTextureDesc texture{};
  cudaTextureObject_t t;
  CUDA_OK(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  int* out = to_device(std::vector<int>(8, -1));
  read_memory<<<1, 8>>>(t, out);
  EXPECT((to_host(out, 8) == std::vector<int>{0, 0, 10, 11, 12, 13, 0, 0}));

  const Picture p(6, 4, 1);
  void* rows;
  std::size_t pitch;
  CUDA_OK(cudaMallocPitch(&rows, &pitch, 24, 4));
  CUDA_OK(cudaMemcpy2D(rows, pitch, p.texels.data(), 24, 24, 4, cudaMemcpyHostToDevice));
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {rows, cudaCreateChannelDesc<float>(), 6, 4, pitch};
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModeLinear;
  CUDA_OK(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  std::vector<float> x;
  for (int i = 0; i < kPoints; ++i)
    for (float end : {7.0f, 5.0f, 1.0f}) x.push_back(uniform(-1, end));
  float* mixed = to_device(std::vector<float>(kPoints));
  read2<<<1, kPoints>>>(t, to_device(x), mixed);
  CUDA_OK(cudaDeviceSynchronize());
  const auto got = to_host(mixed, kPoints);
  for (int i = 0; i < kPoints; ++i)
    EXPECT(close(got[i], p.linear(x[3 * i], x[3 * i + 1], 0, cudaAddressModeClamp)));
  return true;
}

bool check_gather_and_layers() {
  const auto channels = cudaCreateChannelDesc<float>();
  const Picture p(6, 4, 1), faces(2, 2, 6);
  cudaArray_t a, layers, cube;
  CUDA_OK(cudaMallocArray(&a, &channels, 6, 4, cudaArrayTextureGather));
  CUDA_OK(cudaMemcpy2DToArray(a, 0, 0, p.texels.data(), 24, 24, 4, cudaMemcpyHostToDevice));
  float4* four = to_device(std::vector<float4>(6));
  gather<<<1, 6>>>(texture_of(a, cudaAddressModeClamp, cudaFilterModePoint, false), four);
  CUDA_OK(cudaDeviceSynchronize());
  const auto g = to_host(four, 6);
  for (int i = 0; i < 6; ++i) {  // the four texels around (i, 2), from the lower left on
    const auto at = [&](int x, int y) { return p.at(x, y, 0, cudaAddressModeClamp); };
    EXPECT(g[i].x == at(i - 1, 2) && g[i].y == at(i, 2) && g[i].z == at(i, 1) && g[i].w == at(i - 1, 1));
  }
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(faces.texels.data()), 8, 2, 2);
  copy.extent = make_cudaExtent(2, 2, 6);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_OK(cudaMalloc3DArray(&layers, &channels, make_cudaExtent(2, 2, 6), cudaArrayLayered));
  copy.dstArray = layers;
  CUDA_OK(cudaMemcpy3D(&copy));
  CUDA_OK(cudaMalloc3DArray(&cube, &channels, make_cudaExtent(2, 2, 6), cudaArrayCubemap));
  copy.dstArray = cube;
  CUDA_OK(cudaMemcpy3D(&copy));
  float* out = to_device(std::vector<float>(8));
  read_layers<<<1, 8>>>(texture_of(layers, cudaAddressModeClamp, cudaFilterModePoint, false), out);
  auto got = to_host(out, 8);
  for (int i = 0; i < 8; ++i) EXPECT(got[i] == faces.at(1, 0, i, cudaAddressModeClamp));
  read_faces<<<1, 6>>>(texture_of(cube, cudaAddressModeClamp, cudaFilterModeLinear, true), out);
  CUDA_OK(cudaDeviceSynchronize());
  got = to_host(out, 6);
  for (int i = 0; i < 6; ++i) {  // a face's middle: all four of its texels
    float mean = 0;
    for (int k = 0; k < 4; ++k) mean += faces.texels[static_cast<std::size_t>(4 * i + k)] / 4;
    EXPECT(close(got[i], mean));
  }
  return true;
}

}  // namespace

extern "C" bool check() {
  return check_dimensions() && check_formats() && check_memory() && check_gather_and_layers();
}
