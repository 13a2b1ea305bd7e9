// Arrays, textures, surfaces.
#include "misuse.h"

MISUSE(arrays) {
  cudaArray_t a = nullptr;
  cudaMipmappedArray_t m = nullptr;
  auto floats = cudaCreateChannelDesc<float>();
  char host[4096] = {};
  tell("null", cudaMallocArray(nullptr, &floats, 16, 16));
  tell("without channels", cudaMallocArray(&a, nullptr, 16, 16));
  tell("width 0", cudaMallocArray(&a, &floats, 0, 16));
  tell("too wide", cudaMallocArray(&a, &floats, 1 << 20, 16));
  tell("too high", cudaMallocArray(&a, &floats, 16, 1 << 20));
  auto three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  tell("three channels", cudaMallocArray(&a, &three, 16, 16));
  auto odd = cudaCreateChannelDesc(12, 0, 0, 0, cudaChannelFormatKindFloat);
  tell("12 bits", cudaMallocArray(&a, &odd, 16, 16));
  auto mixed = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
  tell("unlike channels", cudaMallocArray(&a, &mixed, 16, 16));
  tell("flags 0x8000", cudaMallocArray(&a, &floats, 16, 16, 0x8000));
  tell("cubemap not square", cudaMalloc3DArray(&a, &floats, make_cudaExtent(16, 8, 6), cudaArrayCubemap));
  tell("cubemap of 5", cudaMalloc3DArray(&a, &floats, make_cudaExtent(16, 16, 5), cudaArrayCubemap));
  tell("array", cudaMallocArray(&a, &floats, 16, 16));
  tell("copy beyond", cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 17, cudaMemcpyHostToDevice));
  tell("copy too wide", cudaMemcpy2DToArray(a, 0, 0, host, 128, 68, 1, cudaMemcpyHostToDevice));
  tell("copy offset beyond", cudaMemcpy2DToArray(a, 64, 0, host, 64, 4, 1, cudaMemcpyHostToDevice));
  tell("copy width over pitch", cudaMemcpy2DToArray(a, 0, 0, host, 32, 64, 1, cudaMemcpyHostToDevice));
  tell("copy turned", cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 1, cudaMemcpyDeviceToHost));
  tell("copy from null", cudaMemcpy2DToArray(a, 0, 0, nullptr, 64, 64, 1, cudaMemcpyDeviceToDevice));
  tell("copy to null", cudaMemcpy2DToArray(nullptr, 0, 0, host, 64, 64, 1, cudaMemcpyHostToDevice));
  cudaChannelFormatDesc channels{};
  tell("info of null", cudaArrayGetInfo(&channels, nullptr, nullptr, nullptr));
  tell("channels null", cudaGetChannelDesc(nullptr, a));
  tell("mipmap levels 0", cudaMallocMipmappedArray(&m, &floats, make_cudaExtent(16, 16, 0), 0));
  show("mipmap was made", m != nullptr);
  tell("mipmap levels 3", cudaMallocMipmappedArray(&m, &floats, make_cudaExtent(16, 16, 0), 3));
  cudaArray_t level = nullptr;
  tell("level 3", cudaGetMipmappedArrayLevel(&level, m, 3));
  tell("level null", cudaGetMipmappedArrayLevel(nullptr, m, 0));
  tell("free a level", [&] {
    cudaGetMipmappedArrayLevel(&level, m, 0);
    return cudaFreeArray(level);
  }());
  tell("free mipmap", cudaFreeMipmappedArray(m));
  tell("free mipmap null", cudaFreeMipmappedArray(nullptr));
  tell("free null", cudaFreeArray(nullptr));
  tell("free", cudaFreeArray(a));
}
MISUSE(array_freed_twice) {
  cudaArray_t a = nullptr;
  auto floats = cudaCreateChannelDesc<float>();
  cudaMallocArray(&a, &floats, 16, 16);
  cudaFreeArray(a);
  tell("free", cudaFreeArray(a));
}

static cudaResourceDesc linear(void* p, cudaChannelFormatDesc channels, size_t bytes) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = p;
  r.res.linear.desc = channels;
  r.res.linear.sizeInBytes = bytes;
  return r;
}

MISUSE(textures) {
  cudaTextureObject_t t = 0;
  cudaSurfaceObject_t s = 0;
  cudaArray_t a = nullptr, b = nullptr;
  auto floats = cudaCreateChannelDesc<float>(), ints = cudaCreateChannelDesc<int>();
  cudaMallocArray(&a, &floats, 16, 16);
  cudaMallocArray(&b, &ints, 16, 16);
  char* d = device_memory<char>(4096);
  cudaTextureDesc x{};
  cudaResourceDesc r = linear(d, floats, 1024);
  tell("null", cudaCreateTextureObject(nullptr, &r, &x, nullptr));
  tell("without resource", cudaCreateTextureObject(&t, nullptr, &x, nullptr));
  tell("without texture", cudaCreateTextureObject(&t, &r, nullptr, nullptr));
  tell("linear", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r = linear(d + 16, floats, 1024);
  tell("start misaligned", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r = linear(d, floats, 0);
  tell("no bytes", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r = linear(d, floats, size_t{1} << 40);
  tell("too many bytes", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r = linear(nullptr, floats, 1024);
  tell("of null", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r = linear(d, cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindFloat), 1024);
  tell("no channels", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r.resType = static_cast<cudaResourceType>(99);
  tell("resource 99", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = d;
  r.res.pitch2D.desc = floats;
  r.res.pitch2D.width = r.res.pitch2D.height = 8;
  r.res.pitch2D.pitchInBytes = 40;
  tell("pitch misaligned", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r.res.pitch2D.pitchInBytes = 32;
  r.res.pitch2D.width = 16;
  tell("pitch under width", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r = {};
  r.resType = cudaResourceTypeArray;
  tell("array null", cudaCreateTextureObject(&t, &r, &x, nullptr));
  r.res.array.array = b;
  x.filterMode = cudaFilterModeLinear;
  tell("integers mixed", cudaCreateTextureObject(&t, &r, &x, nullptr));
  x.filterMode = cudaFilterModePoint;
  x.readMode = cudaReadModeNormalizedFloat;
  tell("32-bit integers normalised", cudaCreateTextureObject(&t, &r, &x, nullptr));
  x = {};
  r.res.array.array = a;
  x.readMode = cudaReadModeNormalizedFloat;
  tell("floats normalised", cudaCreateTextureObject(&t, &r, &x, nullptr));
  x = {};
  x.addressMode[0] = static_cast<cudaTextureAddressMode>(9);
  tell("address mode 9", cudaCreateTextureObject(&t, &r, &x, nullptr));
  x = {};
  x.filterMode = static_cast<cudaTextureFilterMode>(9);
  tell("filter 9", cudaCreateTextureObject(&t, &r, &x, nullptr));
  x = {};
  x.maxAnisotropy = 99;
  tell("anisotropy 99", cudaCreateTextureObject(&t, &r, &x, nullptr));
  x = {};
  x.addressMode[0] = cudaAddressModeWrap;
  tell("wrap without normalised", cudaCreateTextureObject(&t, &r, &x, nullptr));
  x.sRGB = 1;
  tell("sRGB of floats", cudaCreateTextureObject(&t, &r, &x, nullptr));
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat2;
  view.width = view.height = 16;
  x = {};
  tell("view of another size", cudaCreateTextureObject(&t, &r, &x, &view));
  tell("destroy 0", cudaDestroyTextureObject(0));
  tell("surface null", cudaCreateSurfaceObject(nullptr, &r));
  tell("surface of a plain array", cudaCreateSurfaceObject(&s, &r));
  r = linear(d, floats, 1024);
  tell("surface of memory", cudaCreateSurfaceObject(&s, &r));
  tell("surface destroy 0", cudaDestroySurfaceObject(0));
}
MISUSE(texture_destroy_garbage) { tell("destroy", cudaDestroyTextureObject(0x7fff1234)); }
MISUSE(texture_destroyed_twice) {
  const auto floats = cudaCreateChannelDesc<float>();
  cudaResourceDesc r = linear(device_memory<char>(4096), floats, 1024);
  cudaTextureDesc x{}, back{};
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &r, &x, nullptr);
  tell("once", cudaDestroyTextureObject(t));
  tell("twice", cudaDestroyTextureObject(t));
  tell("description", cudaGetTextureObjectTextureDesc(&back, t));
}
