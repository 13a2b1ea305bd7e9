// Surfaces: typed reads and writes by byte, layers, volumes, boundary modes; arrays copied to arrays; errors
// of bad descriptions.
#include "program.h"

namespace {

__global__ void invert(cudaSurfaceObject_t s, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar4 v = surf2Dread<uchar4>(s, x * 4, y);
  surf2Dwrite(make_uchar4(255 - v.x, 255 - v.y, 255 - v.z, v.w), s, x * 4, y);
}

__global__ void beyond(cudaSurfaceObject_t s, int* out) {
  out[0] = surf2Dread<int>(s, -4, 0, cudaBoundaryModeZero);
  out[1] = surf2Dread<int>(s, -4, 100, cudaBoundaryModeClamp);
  surf2Dwrite(99, s, 400, 0, cudaBoundaryModeZero);
  surf2Dwrite(77, s, 400, 0, cudaBoundaryModeClamp);
}

__global__ void fill(cudaSurfaceObject_t volume, cudaSurfaceObject_t layered) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  surf3Dwrite(float2{float(x + 10 * y + 100 * z), 0.5f}, volume, x * 8, y, z);
  surf2DLayeredwrite(short(x + 10 * y + 100 * z), layered, x * 2, y, z);
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t s = 0;
  return cudaCreateSurfaceObject(&s, &resource) == cudaSuccess ? s : 0;
}

bool check_planes() {
  const int w = 37, h = 11;
  std::vector<uchar4> image(w * h), back(w * h);
  for (int i = 0; i < w * h; ++i) image[i] = make_uchar4(i, i * 3, i * 7, i * 11);
  const auto channels = cudaCreateChannelDesc<uchar4>();
  cudaArray_t a, b;
  CUDA_OK(cudaMallocArray(&a, &channels, w, h, cudaArraySurfaceLoadStore));
  CUDA_OK(cudaMallocArray(&b, &channels, w, h));
  CUDA_OK(cudaMemcpy2DToArray(a, 0, 0, image.data(), 4 * w, 4 * w, h, cudaMemcpyHostToDevice));
  const cudaSurfaceObject_t s = surface_of(a);
  EXPECT(s != 0);
  invert<<<dim3(2, 2), dim3(32, 8)>>>(s, w, h);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 4 * w, h));
  CUDA_OK(cudaMemcpy2DFromArray(back.data(), 4 * w, b, 0, 0, 4 * w, h, cudaMemcpyDeviceToHost));
  for (int i = 0; i < w * h; ++i) {
    EXPECT(back[i].x == 255 - image[i].x && back[i].y == 255 - image[i].y && back[i].w == image[i].w);
  }
  int* out = to_device(std::vector<int>(2, -1));
  beyond<<<1, 1>>>(s, out);
  CUDA_OK(cudaDeviceSynchronize());
  const auto read = to_host(out, 2);
  EXPECT(read[0] == 0);
  int corner = 0, end = 0;
  CUDA_OK(cudaMemcpy2DFromArray(&corner, 4, a, 0, h - 1, 4, 1, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy2DFromArray(&end, 4, a, 4 * (w - 1), 0, 4, 1, cudaMemcpyDeviceToHost));
  EXPECT(read[1] == corner);
  EXPECT(end == 77);
  cudaExtent extent;
  unsigned flags = 0;
  cudaChannelFormatDesc format;
  CUDA_OK(cudaArrayGetInfo(&format, &extent, &flags, a));
  EXPECT(extent.width == w && extent.height == h && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
  EXPECT(format.x == 8 && format.w == 8 && format.f == cudaChannelFormatKindUnsigned);
  CUDA_OK(cudaDestroySurfaceObject(s));
  CUDA_OK(cudaFreeArray(a));
  CUDA_OK(cudaFreeArray(b));
  return true;
}

bool check_slices() {
  const auto pairs = cudaCreateChannelDesc<float2>();
  const auto shorts = cudaCreateChannelDesc<short>();
  cudaArray_t volume, layered;
  CUDA_OK(cudaMalloc3DArray(&volume, &pairs, make_cudaExtent(5, 4, 3), cudaArraySurfaceLoadStore));
  CUDA_OK(cudaMalloc3DArray(&layered, &shorts, make_cudaExtent(5, 4, 3),
                            cudaArraySurfaceLoadStore | cudaArrayLayered));
  fill<<<1, dim3(5, 4, 3)>>>(surface_of(volume), surface_of(layered));
  CUDA_OK(cudaDeviceSynchronize());
  std::vector<float2> v(60);
  std::vector<short> l(60);
  cudaMemcpy3DParms copy{};
  copy.srcArray = volume;
  copy.dstPtr = make_cudaPitchedPtr(v.data(), 40, 5, 4);
  copy.extent = make_cudaExtent(5, 4, 3);
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA_OK(cudaMemcpy3D(&copy));
  copy.srcArray = layered;
  copy.dstPtr = make_cudaPitchedPtr(l.data(), 10, 5, 4);
  CUDA_OK(cudaMemcpy3D(&copy));
  for (int i = 0; i < 60; ++i) {
    const int want = i % 5 + 10 * (i / 5 % 4) + 100 * (i / 20);
    EXPECT(v[i].x == float(want) && v[i].y == 0.5f && l[i] == want);
  }
  return true;
}

}  // namespace

extern "C" bool check() { return check_planes() && check_slices(); }
