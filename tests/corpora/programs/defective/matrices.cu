// Tensor-core tiles: loaded, multiplied and stored by a warp as one.
#include <cuda_fp16.h>
#include <mma.h>

#include "../case.h"

using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// expect: race shared
// wrong: one warp's tile is stored and read by another warp without a barrier.
// cure:  __syncthreads() after the store.
__global__ void no_barrier_after_store(float* out, const half* a, const half* b) {
  __shared__ float tile[256];
  const int warp = threadIdx.x / 32;
  if (warp == 0) {
    A fa;
    B fb;
    C fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major);  // <- race
  }
  if (warp == 1)
    for (int k = threadIdx.x - 32; k < 256; k += 32) out[k] = tile[k];  // <- race
}
CASE(tile_read_without_a_barrier) {
  Buffer<float> out(256);
  Buffer<half> a(256, __float2half(1)), b(256, __float2half(1));
  no_barrier_after_store<<<1, 64>>>(out, a, b);
  finish();
}

// expect: race shared
// wrong: the lanes of the warp read what others stored together with them; the store is no barrier.
// cure:  __syncwarp() after the store.
__global__ void no_warp_barrier(float* out) {
  __shared__ float tile[256];
  C fc;
  wmma::fill_fragment(fc, 1.0f);
  wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major);
  __syncwarp();
  const int t = threadIdx.x;
  tile[t] = 2;                                                // <- race
  wmma::load_matrix_sync(fc, tile, 16, wmma::mem_row_major);  // <- race
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}
CASE(tile_changed_without_a_warp_barrier) {
  Buffer<float> out(256);
  no_warp_barrier<<<1, 32>>>(out);
  finish();
}

// expect: race shared
// wrong: the tile is filled by the block and loaded by each warp, no barrier between.
// cure:  __syncthreads() before load_matrix_sync().
__global__ void no_barrier_before_load(float* out, const half* a) {
  __shared__ half tile[256];
  for (int k = threadIdx.x; k < 256; k += 64) tile[k] = a[k];  // <- race
  A fa;
  B fb;
  C fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, tile, 16);  // <- race
  wmma::load_matrix_sync(fb, tile, 16);  // <- race
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(out + threadIdx.x / 32 * 256, fc, 16, wmma::mem_row_major);
}
CASE(tile_loaded_without_a_barrier) {
  Buffer<float> out(512);
  Buffer<half> a(256, __float2half(1));
  no_barrier_before_load<<<1, 64>>>(out, a);
  finish();
}

// expect: race global
// wrong: all blocks store their tile at one place.
// cure:  an offset for each block.
__global__ void one_place(float* out) {
  C fc;
  wmma::fill_fragment(fc, float(blockIdx.x));
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);  // <- race
}
CASE(all_blocks_store_one_tile) {
  Buffer<float> out(256);
  one_place<<<2, 32>>>(out);
  finish();
}

// expect: out-of-bounds global
// wrong: the last tile reaches beyond a matrix of 24 rows.
// cure:  pad the matrix to a multiple of 16.
__global__ void beyond_the_rows(float* out, const half* a, int rows) {
  A fa;
  B fb;
  C fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::fill_fragment(fb, __float2half(1));
  for (int r = 0; r < rows; r += 16) {
    wmma::load_matrix_sync(fa, a + r * 16, 16);  // <- out
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}
CASE(tile_beyond_the_matrix) {
  Buffer<float> out(256);
  Buffer<half> a(24 * 16, __float2half(1));
  beyond_the_rows<<<1, 32>>>(out, a, 24);
  finish();
}

// expect: out-of-bounds shared
// wrong: rows of 24 in an array for rows of 16.
// cure:  tile[16 * 24].
__global__ void wrong_stride(float* out) {
  __shared__ float tile[256];
  __shared__ float other[256];
  C fc;
  wmma::fill_fragment(fc, 1.0f);
  other[threadIdx.x] = 0;
  __syncwarp();
  wmma::store_matrix_sync(tile, fc, 24, wmma::mem_row_major);  // <- out
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x] + other[threadIdx.x];
}
CASE(tile_stored_with_too_long_rows) {
  Buffer<float> out(32);
  wrong_stride<<<1, 32>>>(out);
  finish();
}

// expect: uninitialized shared
// wrong: half of the tile was never filled.
// cure:  fill all 256 elements.
__global__ void half_filled(float* out, const half* a) {
  __shared__ half tile[256];
  for (int k = threadIdx.x; k < 128; k += 32) tile[k] = a[k];
  __syncwarp();
  A fa;
  B fb;
  C fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::fill_fragment(fb, __float2half(1));
  wmma::load_matrix_sync(fa, tile, 16);                       // <- uninitialized
  wmma::mma_sync(fc, fa, fb, fc);                             // <- uninitialized
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);  // <- uninitialized
}
CASE(tile_half_filled) {
  Buffer<float> out(256);
  Buffer<half> a(256, __float2half(1));
  half_filled<<<1, 32>>>(out, a);
  finish();
}

// expect: uninitialized local|global
// wrong: the accumulator was never set to zero.
// cure:  wmma::fill_fragment(fc, 0.0f).
__global__ void no_fill(float* out, const half* a, const half* b) {
  A fa;
  B fb;
  C fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);                             // <- uninitialized
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);  // <- uninitialized
}
CASE(accumulator_not_filled) {
  Buffer<float> out(256);
  Buffer<half> a(256, __float2half(1)), b(256, __float2half(1));
  no_fill<<<1, 32>>>(out, a, b);
  finish();
}

// expect: misaligned
// wrong: the tile starts at an odd element; load_matrix_sync needs a multiple of 32 bytes.
// cure:  a tile that starts at a multiple of 16 halves.
__global__ void odd_start(float* out, const half* a) {
  A fa;
  B fb;
  C fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::fill_fragment(fb, __float2half(1));
  wmma::load_matrix_sync(fa, a + 1, 16);  // <- misaligned
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}
CASE(tile_at_an_odd_element) {
  Buffer<float> out(256);
  Buffer<half> a(512, __float2half(1));
  odd_start<<<1, 32>>>(out, a);
  finish();
}

// expect: race shared
// wrong: ldmatrix reads rows that other lanes have stored; it is no barrier.
// cure:  __syncwarp() before it.
__global__ void ldmatrix_too_early(unsigned* out, const half* a) {
  __shared__ alignas(16) half tile[16 * 16];
  const int t = threadIdx.x;
  for (int k = t; k < 256; k += 32) tile[k] = a[k];  // <- race
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"          // <- race
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                            // <- race
               : "r"(unsigned(__cvta_generic_to_shared(tile + t % 16 * 16 + t / 16 * 8)))  // <- race
               : "memory");
  out[t] = r[0] + r[1] + r[2] + r[3];
}
CASE(ldmatrix_without_a_warp_barrier) {
  Buffer<unsigned> out(32);
  Buffer<half> a(256, __float2half(1));
  ldmatrix_too_early<<<1, 32>>>(out, a);
  finish();
}

// expect: misaligned shared
// wrong: the rows of an ldmatrix start at multiples of 16 bytes; these rows have 9 halves.
// cure:  rows of 8 or 16 halves.
__global__ void ldmatrix_misaligned(unsigned* out) {
  __shared__ alignas(16) half tile[32 * 9];
  const int t = threadIdx.x;
  for (int k = t; k < 32 * 9; k += 32) tile[k] = __float2half(1);
  __syncwarp();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"  // <- misaligned
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                    // <- misaligned
               : "r"(unsigned(__cvta_generic_to_shared(tile + t * 9)))             // <- misaligned
               : "memory");
  out[t] = r[0] + r[1] + r[2] + r[3];
}
CASE(ldmatrix_of_odd_rows) {
  Buffer<unsigned> out(32);
  ldmatrix_misaligned<<<1, 32>>>(out);
  finish();
}

// expect: out-of-bounds shared
// wrong: 32 rows are read of a tile that has 24.
// cure:  a tile of 32 rows.
__global__ void ldmatrix_beyond(unsigned* out) {
  __shared__ alignas(16) half tile[24 * 8];
  __shared__ alignas(16) half next[24 * 8];
  const int t = threadIdx.x;
  for (int k = t; k < 24 * 8; k += 32) tile[k] = next[k] = __float2half(1);
  __syncwarp();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"  // <- out
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                    // <- out
               : "r"(unsigned(__cvta_generic_to_shared(tile + t * 8)))             // <- out
               : "memory");
  out[t] = r[0] + r[1] + r[2] + r[3] + __half2int_rn(next[t]);
}
CASE(ldmatrix_beyond_the_tile) {
  Buffer<unsigned> out(32);
  ldmatrix_beyond<<<1, 32>>>(out);
  finish();
}
