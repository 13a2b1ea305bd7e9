// Correct: tensor-core tiles through shared memory.
#include <cuda_fp16.h>
#include <mma.h>

#include "../case.h"

using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// A ragged matrix: tiles are padded in shared memory, results are stored to shared memory and copied by
// element.
__global__ void ragged_matmul(float* out, const half* a, const half* b, int m, int n, int k) {
  __shared__ half ta[16 * 24], tb[16 * 24];
  __shared__ float tc[4][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 16;
  for (int col = warp * 16; col < (n + 63) / 64 * 64; col += 64) {
    C fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int at = 0; at < k; at += 16) {
      for (int i = threadIdx.x; i < 256; i += 128) {
        const int r = i / 16, c = i % 16;
        ta[r * 24 + c] = row + r < m && at + c < k ? a[(row + r) * k + at + c] : __float2half(0);
      }
      __syncthreads();
      __shared__ half slices[4][256];
      for (int i = lane; i < 256; i += 32) {
        const int c = i / 16, r = i % 16;
        slices[warp][i] = col + c < n && at + r < k ? b[(at + r) * n + col + c] : __float2half(0);
      }
      __syncwarp();
      A fa;
      B fb;
      wmma::load_matrix_sync(fa, ta, 24);
      wmma::load_matrix_sync(fb, slices[warp], 16);
      wmma::mma_sync(fc, fa, fb, fc);
      __syncthreads();
    }
    wmma::store_matrix_sync(tc[warp], fc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32)
      if (row + i / 16 < m && col + i % 16 < n) out[(row + i / 16) * n + col + i % 16] = tc[warp][i];
    __syncwarp();
  }
  if (threadIdx.x == 0) tb[0] = __float2half(0);
}
CASE(ragged_tiles) {
  const int m = 20, n = 70, k = 24;
  Buffer<float> out(m * n);
  Buffer<half> a(m * k, __float2half(1)), b(k * n, __float2half(2));
  ragged_matmul<<<2, 128>>>(out, a, b, m, n, k);
  finish();
  CHECK_THAT(out.host()[m * n - 1] == 48);
}

// The tile is stored where the warp's own lanes read it next, behind __syncwarp().
__global__ void bias_and_relu(float* out, const float* bias) {
  __shared__ float tile[256];
  C fc;
  wmma::fill_fragment(fc, 1.0f);
  wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = fmaxf(0.0f, tile[i] + bias[i % 16]);
  __syncwarp();
  wmma::load_matrix_sync(fc, tile, 16, wmma::mem_row_major);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2;
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}
CASE(epilogue_in_shared_memory) {
  Buffer<float> out(256), bias(16, -2, 1);
  bias_and_relu<<<1, 32>>>(out, bias);
  finish();
  CHECK_THAT(out.host()[0] == 0 && out.host()[15] == 28);
}

// ldmatrix and mma in PTX, two stages of cp.async before them.
__global__ void ptx_mma(float* out, const half* a, const half* b, int k) {
  __shared__ alignas(16) half sa[2][16 * 16], sb[2][8 * 16];
  const int t = threadIdx.x;
  const auto address = [](const void* p) { return unsigned(__cvta_generic_to_shared(p)); };
  const auto fetch = [&](int stage, int at) {
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&sa[stage][t / 2 * 16 + t % 2 * 8])),
        "l"(a + t / 2 * k + at + t % 2 * 8)
        : "memory");
    if (t < 16)
      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&sb[stage][t / 2 * 16 + t % 2 * 8])),
          "l"(b + t / 2 * k + at + t % 2 * 8)
          : "memory");
  };
  float d[4] = {};
  fetch(0, 0);
  asm volatile("cp.async.commit_group;" ::: "memory");
  for (int at = 0, stage = 0; at < k; at += 16, stage ^= 1) {
    if (at + 16 < k) fetch(stage ^ 1, at + 16);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncwarp();
    unsigned x[4], y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(address(&sa[stage][t % 16 * 16 + t / 16 * 8]))
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"(address(&sb[stage][t % 8 * 16 + t / 8 % 2 * 8]))
                 : "memory");
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, "
        "%2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    __syncwarp();
  }
  for (int j = 0; j < 4; ++j) out[(t / 4 + j / 2 * 8) * 8 + t % 4 * 2 + j % 2] = d[j];
}
CASE(ldmatrix_behind_asynchronous_copies) {
  Buffer<float> out(128);
  Buffer<half> a(16 * 48, __float2half(1)), b(8 * 48, __float2half(1));
  ptx_mma<<<1, 32>>>(out, a, b, 48);
  finish();
  CHECK_THAT(out.host()[0] == 48 && out.host()[127] == 48);
}
