// Matrix products from one element a thread to tensor cores, softmax and a convolution.
#pragma once

#include <cuda_fp16.h>
#include <mma.h>

#include "microkernels.h"

__global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * 16 + threadIdx.x, col = blockIdx.y * 16 + threadIdx.y;  // the wrong way round
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
__global__ void matmul_coalesced(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
template <int kTile>
__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float s[kTile][kTile], t[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    s[y][x] = a[row * n + k + x];
    t[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += s[y][i] * t[i][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
/// 64 by 64 by block of 256 threads, 4 by 4 a thread, float4 out of shared memory.
__global__ void matmul_registers(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float s[8][64], t[8][64];
  const int tid = threadIdx.x, x = tid % 16, y = tid / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 8) {
    for (int i = tid; i < 512; i += 256) {
      s[i % 8][i / 8] = a[(row0 + i / 8) * n + k + i % 8];
      t[i / 64][i % 64] = b[(k + i / 64) * n + col0 + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float4 u = *reinterpret_cast<const float4*>(&s[i][4 * y]),
                   v = *reinterpret_cast<const float4*>(&t[i][4 * x]);
      const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
      for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q) sum[p][q] += us[p] * vs[q];
    }
    __syncthreads();
  }
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) c[(row0 + 4 * y + p) * n + col0 + 4 * x + q] = sum[p][q];
}

using namespace nvcuda;

template <class LayoutA, class LayoutB>
__global__ void wmma_global(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, LayoutB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + (std::is_same_v<LayoutA, wmma::row_major> ? k : k * n), n);
    wmma::load_matrix_sync(fb, b + (std::is_same_v<LayoutB, wmma::row_major> ? k * n : k), n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}
template <int kStride, class LayoutA, class LayoutB>
__global__ void wmma_shared(const half* a, float* c, int n) {
  __shared__ __align__(32) half s[16 * kStride], t[16 * kStride];
  for (int i = threadIdx.x; i < 8 * kStride; i += 32) {
    reinterpret_cast<unsigned*>(s)[i] = reinterpret_cast<const unsigned*>(a)[i];
    reinterpret_cast<unsigned*>(t)[i] = reinterpret_cast<const unsigned*>(a)[i + 32];
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, LayoutB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
  wmma::load_matrix_sync(fa, s, kStride);
  wmma::load_matrix_sync(fb, t, kStride);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, n, wmma::mem_col_major);
}
__global__ void wmma_half_accumulator(const half* a, half* c, int n) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, half> fc;
  wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
  wmma::load_matrix_sync(fa, a, n);
  wmma::load_matrix_sync(fb, a + 64, n);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}
/// One fragment in shared memory alone: its loads or stores by themselves.
template <class Fragment, class T>
__global__ void wmma_load_only(float* out, int stride) {
  extern __shared__ uint4 storage[];
  unsigned* words = reinterpret_cast<unsigned*>(storage);
  for (int i = threadIdx.x; i < 2048; i += 32) words[i] = 0;
  __syncthreads();
  Fragment f;
  wmma::load_matrix_sync(f, reinterpret_cast<const T*>(storage), stride);
  float sum = 0;
  for (int i = 0; i < f.num_elements; ++i) sum += float(f.x[i]);
  out[threadIdx.x] = sum;
}
template <class T>
__global__ void wmma_accumulator_only(float* out, int stride, bool rows) {
  extern __shared__ uint4 storage[];
  unsigned* words = reinterpret_cast<unsigned*>(storage);
  for (int i = threadIdx.x; i < 2048; i += 32) words[i] = 0;
  __syncthreads();
  wmma::fragment<wmma::accumulator, 16, 16, 16, T> f;
  wmma::fill_fragment(f, T(threadIdx.x * 1.f));
  if (rows)
    wmma::store_matrix_sync(reinterpret_cast<T*>(storage), f, stride, wmma::mem_row_major);
  else
    wmma::store_matrix_sync(reinterpret_cast<T*>(storage), f, stride, wmma::mem_col_major);
  __syncthreads();
  out[threadIdx.x] = float(words[threadIdx.x]);
}

__global__ void softmax_row(const float* in, float* out, int n) {
  __shared__ float s[32];
  const float* row = in + blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 128) sum += expf(row[i]);
  for (int h = 16; h > 0; h /= 2) sum += __shfl_xor_sync(~0u, sum, h);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = s[0] + s[1] + s[2] + s[3];
  for (int i = threadIdx.x; i < n; i += 128) out[blockIdx.x * n + i] = expf(row[i]) / sum;
}
__constant__ float kFilter[25];
__global__ void conv2d(const float* in, float* out, int n) {
  __shared__ float s[20][20];
  const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
    const int x = x0 + i % 20 - 2, y = y0 + i / 20 - 2;
    s[i / 20][i % 20] = x >= 0 && y >= 0 && x < n && y < n ? in[y * n + x] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int v = 0; v < 5; ++v)
    for (int u = 0; u < 5; ++u) sum += kFilter[v * 5 + u] * s[threadIdx.y + v][threadIdx.x + u];
  out[(y0 + threadIdx.y) * n + x0 + threadIdx.x] = sum;
}

void run_matrix() {
  constexpr int kN = 64;
  float *a = device_zeros<float>(128 * 128), *b = device_zeros<float>(128 * 128),
        *c = device_zeros<float>(128 * 128);
  const dim3 blocks(kN / 16, kN / 16), threads(16, 16);
  next("matmul, naive"), matmul_naive<<<blocks, threads>>>(a, b, c, kN);
  next("matmul, coalesced"), matmul_coalesced<<<blocks, threads>>>(a, b, c, kN);
  next("matmul, tiles of 16"), matmul_tiled<16><<<blocks, threads>>>(a, b, c, kN);
  next("matmul, tiles of 32"), matmul_tiled<32><<<dim3(2, 2), dim3(32, 32)>>>(a, b, c, kN);
  next("matmul, 4 by 4 a thread"), matmul_registers<<<dim3(2, 2), 256>>>(a, b, c, 128);
  const half *ha = (const half*)a, *hb = (const half*)b;
  using Row = wmma::row_major;
  using Col = wmma::col_major;
  next("wmma, global, row row"), wmma_global<Row, Row><<<1, 32>>>(ha, hb, c, 64);
  next("wmma, global, row col"), wmma_global<Row, Col><<<1, 32>>>(ha, hb, c, 64);
  next("wmma, global, col row"), wmma_global<Col, Row><<<1, 32>>>(ha, hb, c, 64);
  next("wmma, global, col col"), wmma_global<Col, Col><<<1, 32>>>(ha, hb, c, 64);
  next("wmma, shared, stride 16"), wmma_shared<16, Row, Row><<<1, 32>>>(ha, c, 16);
  next("wmma, shared, stride 24"), wmma_shared<24, Row, Col><<<1, 32>>>(ha, c, 24);
  next("wmma, shared, stride 64"), wmma_shared<64, Col, Row><<<1, 32>>>(ha, c, 16);
  next("wmma, half accumulator"), wmma_half_accumulator<<<1, 32>>>(ha, (half*)c, 64);
  using ARow = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, Row>;
  using ACol = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, Col>;
  using BRow = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, Row>;
  using BCol = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, Col>;
  for (int stride : {16, 24, 32, 64, 72}) {
    const std::string s = ", stride " + std::to_string(stride);
    next("wmma load a row" + s), wmma_load_only<ARow, half><<<1, 32, 8192>>>(c, stride);
    next("wmma load a col" + s), wmma_load_only<ACol, half><<<1, 32, 8192>>>(c, stride);
    next("wmma load b row" + s), wmma_load_only<BRow, half><<<1, 32, 8192>>>(c, stride);
    next("wmma load b col" + s), wmma_load_only<BCol, half><<<1, 32, 8192>>>(c, stride);
    next("wmma store float rows" + s), wmma_accumulator_only<float><<<1, 32, 8192>>>(c, stride, true);
    next("wmma store float columns" + s), wmma_accumulator_only<float><<<1, 32, 8192>>>(c, stride, false);
    next("wmma store half rows" + s), wmma_accumulator_only<half><<<1, 32, 8192>>>(c, stride, true);
  }
  next("softmax"), softmax_row<<<16, 128>>>(a, b, 500);
  next("convolution"), conv2d<<<dim3(4, 4), dim3(16, 16)>>>(a, b, 64);
}
