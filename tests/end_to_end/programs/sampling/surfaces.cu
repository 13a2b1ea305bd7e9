// Surfaces: reads and writes outside under each boundary mode, for every shape and size of element.
#include <cstring>

#include "sampling.h"

namespace {

/// x in elements, y and z; each may lie outside.
__device__ int3 place(int i) {
  const int xs[] = {0, 3, 5, 6, 7, -1, -2, 100}, ys[] = {0, 2, 3, 6, -1, 50};
  return {xs[i % 8], ys[i / 8 % 6], i / 48 - 1};  // z from -1 to 6
}

enum Shape { k1d, k2d, k3d, k1dLayered, k2dLayered, kCube };

template <class T, cudaSurfaceBoundaryMode kMode>
__global__ void read(cudaSurfaceObject_t s, int shape, T* out) {
  const int i = static_cast<int>(threadIdx.x);
  const int3 p = place(i);
  const int x = p.x * static_cast<int>(sizeof(T));
  T v{};
  if (shape == k1d) surf1Dread(&v, s, x, kMode);
  if (shape == k2d) surf2Dread(&v, s, x, p.y, kMode);
  if (shape == k3d) surf3Dread(&v, s, x, p.y, p.z, kMode);
  if (shape == k1dLayered) surf1DLayeredread(&v, s, x, p.z, kMode);
  if (shape == k2dLayered) surf2DLayeredread(&v, s, x, p.y, p.z, kMode);
  if (shape == kCube) surfCubemapread(&v, s, x, p.y, p.z, kMode);
  out[i] = v;
}

template <class T, cudaSurfaceBoundaryMode kMode>
__global__ void write(cudaSurfaceObject_t s, int shape, int i, T v) {
  const int3 p = place(i);
  const int x = p.x * static_cast<int>(sizeof(T));
  if (shape == k1d) surf1Dwrite(v, s, x, kMode);
  if (shape == k2d) surf2Dwrite(v, s, x, p.y, kMode);
  if (shape == k3d) surf3Dwrite(v, s, x, p.y, p.z, kMode);
  if (shape == k1dLayered) surf1DLayeredwrite(v, s, x, p.z, kMode);
  if (shape == k2dLayered) surf2DLayeredwrite(v, s, x, p.y, p.z, kMode);
  if (shape == kCube) surfCubemapwrite(v, s, x, p.y, p.z, kMode);
}

/// An element whose every byte says which one it is: 1, 2, ... up to 216.
template <class T>
T numbered(int i) {
  T v;
  std::memset(&v, i + 1, sizeof v);
  return v;
}
template <class T>
int number_of(const T& v) {
  return *reinterpret_cast<const unsigned char*>(&v) - 1;
}

template <class T>
std::vector<T> texels_of(cudaArray_t array, cudaExtent e, int count) {
  std::vector<T> back(static_cast<std::size_t>(count));
  const std::size_t height = e.height ? e.height : 1, depth = e.depth ? e.depth : 1;
  cudaMemcpy3DParms copy{};
  copy.srcArray = array;
  copy.dstPtr = make_cudaPitchedPtr(back.data(), e.width * sizeof(T), e.width, height);
  copy.extent = make_cudaExtent(e.width, height, depth);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  return back;
}

/// Which texel each place reads, and which it writes; -1: zero, or none.
template <class T, cudaSurfaceBoundaryMode kMode>
void access(const std::string& name, int shape, cudaExtent extent, unsigned flags, int places) {
  const int count = static_cast<int>(extent.width * (extent.height ? extent.height : 1) *
                                     (extent.depth ? extent.depth : 1));
  std::vector<T> texels;
  for (int i = 0; i < count; ++i) texels.push_back(numbered<T>(i));
  const auto array = array_of(texels, cudaCreateChannelDesc<T>(), extent, flags | cudaArraySurfaceLoadStore);
  const auto r = resource_of(array);
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  T* out = to_device(std::vector<T>(static_cast<std::size_t>(places)));
  read<T, kMode><<<1, static_cast<unsigned>(places)>>>(s, shape, out);
  CHECK(cudaDeviceSynchronize());
  std::printf("%s reads:", name.c_str());
  for (const T& v : to_host(out, static_cast<std::size_t>(places))) std::printf(" %d", number_of(v));
  std::printf("\n%s writes:", name.c_str());
  for (int i = 0; i < places; ++i) {
    write<T, kMode><<<1, 1>>>(s, shape, i, numbered<T>(254));
    const std::vector<T> now = texels_of<T>(array, extent, count);
    int changed = -1;
    for (int k = 0; k < count; ++k)
      if (number_of(now[static_cast<std::size_t>(k)]) == 254) changed = k;
    std::printf(" %d", changed);
    if (changed >= 0) write_back(array, texels, extent);
  }
  std::printf("\n");
}

template <class T>
void all_shapes(const std::string& type, bool only_planes) {
  const struct {
    const char* name;
    int shape;
    cudaExtent extent;
    unsigned flags;
    int places;
  } shapes[] = {{"2d", k2d, make_cudaExtent(6, 4, 0), 0, 48},
                {"1d", k1d, make_cudaExtent(6, 0, 0), 0, 8},
                {"3d", k3d, make_cudaExtent(6, 4, 3), 0, 240},
                {"1d layers", k1dLayered, make_cudaExtent(6, 0, 3), cudaArrayLayered, 240},
                {"2d layers", k2dLayered, make_cudaExtent(6, 4, 3), cudaArrayLayered, 240},
                {"cube", kCube, make_cudaExtent(6, 6, 6), cudaArrayCubemap, 384}};
  for (const auto& s : shapes) {
    if (only_planes && s.shape != k2d) break;
    access<T, cudaBoundaryModeZero>(type + " surface " + s.name + " zero", s.shape, s.extent, s.flags,
                                    s.places);
    access<T, cudaBoundaryModeClamp>(type + " surface " + s.name + " clamp", s.shape, s.extent, s.flags,
                                     s.places);
  }
}

}  // namespace

void sample_surfaces() {
  all_shapes<unsigned char>("uchar", true);
  all_shapes<short>("short", true);
  all_shapes<uint2>("uint2", true);
  all_shapes<uint4>("uint4", true);
  all_shapes<unsigned>("unsigned", false);
}
