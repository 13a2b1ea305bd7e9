// Loads in im2col mode: pixels of a bounding box, one filter position at a time, over borders.
#include "device.cuh"

namespace {

void load(const std::string& name, Tensor t, std::vector<int> at, std::vector<int> offsets) {
  if (!next_case()) return;
  t.pack();
  unsigned char* const global = to_device(pattern(t.bytes(), t.type));
  CUtensorMap map;
  const CUresult code = encode_im2col(&map, t, global);
  if (code != CUDA_SUCCESS) return print(name + " encode", code);
  const unsigned bytes = t.unit_bytes() * t.channels * t.pixels, dumped = bytes + 64;
  unsigned char* const out = to_device(std::vector<unsigned char>(dumped + 1));
  Coordinates c{};
  for (unsigned i = 0; i < t.rank; ++i) c.at[i] = at[i];
  for (std::size_t i = 0; i < offsets.size(); ++i) c.offset[i] = static_cast<unsigned short>(offsets[i]);
  CHECK(cudaFuncSetAttribute(load_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  load_kernel<true><<<1, 128, kSharedBytes>>>(map, int(t.rank), c, bytes, out, dumped);
  const cudaError_t ran = cudaDeviceSynchronize();
  if (ran != cudaSuccess) {
    print(name + " run", ran);
    leave();
  }
  print(name, to_host(out, dumped + 1));
  CHECK(cudaFree(out));
  CHECK(cudaFree(global));
}

/// {C, W, N}, {C, W, H, N} or {C, W, H, D, N}
Tensor images(std::vector<unsigned> extent, int lower, int upper, unsigned channels, unsigned pixels) {
  Tensor t;
  t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  t.rank = unsigned(extent.size());
  for (unsigned i = 0; i < t.rank; ++i) t.extent[i] = extent[i];
  for (unsigned i = 0; i + 2 < t.rank; ++i) t.lower[i] = lower, t.upper[i] = upper;
  t.channels = channels;
  t.pixels = pixels;
  return t;
}

__global__ void store_kernel(const __grid_constant__ CUtensorMap map, int rank, Coordinates at,
                             const unsigned char* in, unsigned bytes) {
  extern __shared__ unsigned char dynamic[];
  unsigned char* const tile = aligned_tile(dynamic);
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) tile[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const int* const c = at.at;
  if (rank == 3)
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%2, %3, %4}], [%1];" ::
            "l"(reinterpret_cast<std::uint64_t>(&map)),
        "r"(address_of(tile)), "r"(c[0]), "r"(c[1]), "r"(c[2])
        : "memory");
  if (rank == 4)
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%2, %3, %4, %5}], "
        "[%1];" ::"l"(reinterpret_cast<std::uint64_t>(&map)),
        "r"(address_of(tile)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
        : "memory");
  finish_stores();
}

void store(const std::string& name, Tensor t, std::vector<int> at) {
  if (!next_case()) return;
  t.pack();
  unsigned char* const global = to_device(std::vector<unsigned char>(t.bytes(), 0xDD));
  CUtensorMap map;
  const CUresult code = encode_im2col(&map, t, global);
  if (code != CUDA_SUCCESS) return print(name + " encode", code);
  const unsigned bytes = element_bytes(t.type) * t.channels * t.pixels;
  unsigned char* const in = to_device(pattern(bytes, t.type));
  Coordinates c{};
  for (unsigned i = 0; i < t.rank; ++i) c.at[i] = at[i];
  CHECK(cudaFuncSetAttribute(store_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  store_kernel<<<1, 128, kSharedBytes>>>(map, int(t.rank), c, in, bytes);
  const cudaError_t ran = cudaDeviceSynchronize();
  if (ran != cudaSuccess) {
    print(name + " run", ran);
    leave();
  }
  print(name, to_host(global, t.bytes()));
  CHECK(cudaFree(in));
  CHECK(cudaFree(global));
}

}  // namespace

void convolutions() {
  // A 3 x 3 filter with a border of one, and others.
  for (const auto& [lower, upper] :
       std::vector<std::pair<int, int>>{{-1, -1}, {0, -2}, {0, 0}, {-2, 1}, {1, -1}}) {
    const std::string name = "im2col corners " + std::to_string(lower) + " " + std::to_string(upper);
    for (int filter = 0; filter < 3; ++filter) {
      const std::string of = name + " filter " + std::to_string(filter);
      load(of + " 1d", images({16, 10, 3}, lower, upper, 8, 12), {8, lower, 0}, {filter});
      load(of + " 2d", images({16, 7, 5, 3}, lower, upper, 8, 24), {8, lower, lower, 0},
           {filter, 2 - filter});
      load(of + " 3d", images({16, 5, 4, 3, 2}, lower, upper, 8, 40), {0, lower, lower, lower, 0},
           {filter, 1, 2 - filter});
      load(of + " 2d from the middle", images({16, 7, 5, 3}, lower, upper, 16, 24),
           {0, lower + 2, lower + 1, 1}, {filter, filter});
      load(of + " 2d past the last image", images({16, 7, 5, 3}, lower, upper, 16, 24),
           {0, lower + 1, lower + 3, 2}, {0, filter});
    }
  }
  for (const unsigned step : {2u, 3u}) {
    Tensor t = images({16, 9, 7, 2}, -1, -1, 16, 20);
    t.step[1] = t.step[2] = step;
    load("im2col step " + std::to_string(step), t, {0, -1, -1, 0}, {0, 0});
    load("im2col step " + std::to_string(step) + " filter", t, {0, -1, -1, 0}, {1, 2});
    load("im2col step " + std::to_string(step) + " middle", t, {0, -1 + int(step), -1 + int(step), 0},
         {2, 1});
  }
  for (int swizzle = 0; swizzle <= 3; ++swizzle) {
    Tensor t = images({64, 7, 5, 2}, -1, -1, swizzle == 0 ? 64 : 8u << swizzle, 32);
    t.swizzle = CUtensorMapSwizzle(swizzle);
    load("im2col swizzle " + std::to_string(swizzle), t, {0, -1, -1, 0}, {1, 1});
    load("im2col swizzle " + std::to_string(swizzle) + " channels over the border", t, {56, 0, -1, 0},
         {1, 1});
    t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    load("im2col swizzle " + std::to_string(swizzle) + " nan fill", t, {0, -1, -1, 0}, {0, 1});
  }
  for (const int far : {-5, 6, 200})
    load("im2col far away at " + std::to_string(far), images({16, 7, 5, 3}, -1, -1, 8, 16), {0, far, 0, 0},
         {0, 0});
  for (int interleave = 1; interleave <= 2; ++interleave)
    for (const int x : {0, 1, 2}) {
      Tensor t = images({5, 4, 3, 2}, -1, -1, 2, 6);
      t.type = CU_TENSOR_MAP_DATA_TYPE_UINT64;
      t.interleave = CUtensorMapInterleave(interleave);
      const std::string name = "im2col interleave " + std::to_string(8 << interleave) + " ";
      load(name + "first at " + std::to_string(x), t, {x, 0, 0, 0}, {0, 0});
      load(name + "second at " + std::to_string(x), t, {0, x, 0, 0}, {0, 0});
      load(name + "third at " + std::to_string(x), t, {0, 0, x - 1, 0}, {0, 0});
      load(name + "fourth at " + std::to_string(x), t, {0, 0, 0, x}, {0, 0});
      load(name + "filter at " + std::to_string(x), t, {0, 0, 0, 0}, {x, 1});
    }
  for (const int corner : {-1, 0, 1}) {
    const std::string name = "im2col store corners " + std::to_string(corner);
    store(name + " 1d", images({16, 10, 3}, corner, -corner, 8, 12), {8, corner, 0});
    store(name + " 2d", images({16, 7, 5, 3}, corner, -1, 8, 24), {8, corner, corner, 0});
    store(name + " past the last image", images({16, 7, 5, 3}, corner, corner, 16, 24),
          {0, corner + 1, corner + 1, 2});
  }
}
