// Ordinary kernels that move data: strides, vectors, transposes, local arrays, constants.
#pragma once

#include "microkernels.h"

template <class T>
__global__ void copy(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void copy_grid_stride(const float* __restrict__ in, float* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void copy_strided(const float* in, float* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}
__global__ void copy_offset(const float* in, float* out, int n, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + offset];
}
__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void saxpy_float4(const float4* __restrict__ x, float4* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = y[i];
  const float4 u = x[i];
  v.x += a * u.x, v.y += a * u.y, v.z += a * u.z, v.w += a * u.w;
  y[i] = v;
}
__global__ void read_only_load(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ldg(in + (n - 1 - i));
}
struct Particle {
  float x, y, z, mass;
  float vx, vy, vz, charge;
};
__global__ void array_of_structures(Particle* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].vx = p[i].x * 2;
}
struct Rgb {
  unsigned char r, g, b;
};
__global__ void rgb_to_gray(const Rgb* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Rgb p = in[i];
  out[i] = (unsigned char)(0.299f * p.r + 0.587f * p.g + 0.114f * p.b);
}
__global__ void gather(const float* in, const int* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}
__global__ void scatter(const float* in, const int* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[index[i]] = in[i];
}

__constant__ float kTable[64];
__global__ void constant_same(float* out) { out[threadIdx.x] = kTable[blockIdx.x & 63] * 2; }
__global__ void constant_by_lane(float* out) { out[threadIdx.x] = kTable[threadIdx.x & 63] * 2; }

/// An array indexed by data lies in local memory.
__global__ void local_array(const int* index, int* out, int n) {
  const int t = threadIdx.x;
  int values[32];
  for (int i = 0; i < 32; ++i) values[i] = index[i] * i;
  for (int i = 0; i < n; ++i) values[index[t + i] & 31] += i;
  out[t] = values[index[t] & 31];
}

/// Lanes whose condition fails make no request, and neither does a warp of such lanes.
__global__ void sparse_lanes(const float* in, float* out, int every) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % every == 0) out[i] = in[i];
}
__global__ void every_second_warp(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x / 32 % 2 == 0) out[i] = in[i];
}

// Transposes of a square matrix, blocks of 32 by 8 threads.
__global__ void transpose_naive(float* out, const float* in, int n) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[c * n + r + k] = in[(r + k) * n + c];
}
template <int kPad>
__global__ void transpose_tile(float* out, const float* in, int n) {
  __shared__ float tile[32][32 + kPad];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(r + k) * n + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(r + k) * n + c] = tile[threadIdx.x][threadIdx.y + k];
}
__global__ void transpose_swizzled(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    tile[threadIdx.y + k][threadIdx.x ^ (threadIdx.y + k)] = in[(r + k) * n + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(r + k) * n + c] = tile[threadIdx.x][threadIdx.x ^ (threadIdx.y + k)];
}
__global__ void transpose_float4(float* out, const float4* in, int n) {
  __shared__ float tile[32][33];
  const int t = threadIdx.y * 32 + threadIdx.x, r = t / 8, q = t % 8;
  const float4 v = in[((blockIdx.y * 32 + r) * n + blockIdx.x * 32) / 4 + q];
  tile[r][4 * q] = v.x, tile[r][4 * q + 1] = v.y, tile[r][4 * q + 2] = v.z, tile[r][4 * q + 3] = v.w;
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    out[(blockIdx.x * 32 + threadIdx.y + k) * n + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y + k];
}

void run_memory() {
  constexpr int kN = 1 << 15;
  float *a = device_zeros<float>(kN * 33), *b = device_zeros<float>(kN * 2), *c = device_zeros<float>(kN * 2);
  const auto grid = [](int n) { return (n + 255) / 256; };
  const int n = 10007;  // the last block is ragged
  next("copy, bytes"), copy<<<grid(n), 256>>>((const char*)a, (char*)b, n);
  next("copy, shorts"), copy<<<grid(n), 256>>>((const short*)a, (short*)b, n);
  next("copy, floats"), copy<<<grid(n), 256>>>(a, b, n);
  next("copy, doubles"), copy<<<grid(n), 256>>>((const double*)a, (double*)b, n);
  next("copy, float4"), copy<<<grid(n / 2), 256>>>((const float4*)a, (float4*)b, n / 2);
  next("copy, grid stride"), copy_grid_stride<<<8, 256>>>(a, b, n);
  for (int stride : {2, 3, 4, 8, 17, 32})
    next("copy, stride " + std::to_string(stride)), copy_strided<<<grid(n), 256>>>(a, b, n, stride);
  for (int offset : {1, 7, 8, 31})
    next("copy, offset " + std::to_string(offset)), copy_offset<<<grid(n), 256>>>(a, b, n, offset);
  next("vector add"), vector_add<<<grid(n), 256>>>(a, b, c, n);
  next("saxpy, float4"), saxpy_float4<<<grid(n / 2), 256>>>((const float4*)a, (float4*)b, 2.f, n / 2);
  next("__ldg, reversed"), read_only_load<<<grid(n), 256>>>(a, b, n);
  next("array of structures"), array_of_structures<<<grid(4000), 256>>>((Particle*)a, 4000);
  next("rgb to gray"), rgb_to_gray<<<grid(n), 256>>>((const Rgb*)a, (unsigned char*)b, n);
  std::vector<int> index(kN);
  Sequence random{3};
  for (int& i : index) i = int(random()) % kN;
  const int* where = device_copy(index);
  next("gather"), gather<<<grid(n), 256>>>(a, where, b, n);
  next("scatter"), scatter<<<grid(n), 256>>>(a, where, b, n);
  next("constant, the same for all lanes"), constant_same<<<4, 64>>>(b);
  next("constant, by lane"), constant_by_lane<<<4, 64>>>(b);
  next("local array"), local_array<<<2, 64>>>(where, (int*)b, 24);
  next("every third lane"), sparse_lanes<<<16, 128>>>(a, b, 3);
  next("every 40th lane"), sparse_lanes<<<16, 128>>>(a, b, 40);
  next("every second warp"), every_second_warp<<<16, 128>>>(a, b);
  const dim3 blocks(4, 4), threads(32, 8);
  next("transpose, naive"), transpose_naive<<<blocks, threads>>>(b, a, 128);
  next("transpose, tile"), transpose_tile<0><<<blocks, threads>>>(b, a, 128);
  next("transpose, padded tile"), transpose_tile<1><<<blocks, threads>>>(b, a, 128);
  next("transpose, tile padded by 2"), transpose_tile<2><<<blocks, threads>>>(b, a, 128);
  next("transpose, swizzled"), transpose_swizzled<<<blocks, threads>>>(b, a, 128);
  next("transpose, float4"), transpose_float4<<<blocks, threads>>>(b, (const float4*)a, 128);
}
