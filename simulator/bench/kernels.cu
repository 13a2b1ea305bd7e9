// The kernels of the benchmark: the patterns that a course's kernels are made of.
#include <cuda_fp16.h>
#include <mma.h>

extern "C" {

__global__ void matmul_naive(float* c, const float* a, const float* b, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void matmul_tiled(float* c, const float* a, const float* b, int n) {
  __shared__ float tile_a[32][32], tile_b[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// The classic tree with its index at the warp's stride, one block of 256 per 512 elements.
__global__ void reduction(float* out, const float* in, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * 512 + threadIdx.x;
  s[threadIdx.x] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void vector_add(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void histogram(unsigned* bins, const unsigned char* in, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[in[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

// Each thread sorts eight elements in registers: odd-even transposition.
__global__ void sort_runs(int* out, const int* in, int n) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (begin >= n) return;
  int v[8];
  for (int k = 0; k < 8; ++k) v[k] = in[begin + k];
#pragma unroll
  for (int round = 0; round < 8; ++round) {
#pragma unroll
    for (int k = round % 2; k + 1 < 8; k += 2) {
      const int low = min(v[k], v[k + 1]), high = max(v[k], v[k + 1]);
      v[k] = low;
      v[k + 1] = high;
    }
  }
  for (int k = 0; k < 8; ++k) out[begin + k] = v[k];
}

// Each thread finds where the merged run splits for it, then merges eight elements.
__global__ void merge_runs(int* out, const int* in, int run, int n) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (begin >= n) return;
  const int pair = begin / (2 * run) * 2 * run, diagonal = begin - pair;
  const int* a = in + pair;
  const int* b = a + run;
  int low = diagonal > run ? diagonal - run : 0, high = diagonal < run ? diagonal : run;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = diagonal - low;
  for (int k = 0; k < 8; ++k) {
    const bool first = j >= run || (i < run && a[i] <= b[j]);
    out[begin + k] = first ? a[i++] : b[j++];
  }
}

__global__ void collatz(int* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = i + 1;
  int count = 0;
  while (v != 1) {
    v = v % 2 == 0 ? v / 2 : 3 * v + 1;
    ++count;
  }
  steps[i] = count;
}

__global__ void gelu_half2(half2* out, const half2* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const half2 x = in[i];
  const half2 inner = __hmul2(__float2half2_rn(0.79788456f),
                              __hfma2(__hmul2(x, __hmul2(x, x)), __float2half2_rn(0.044715f), x));
  const float2 t = __half22float2(inner);
  const half2 tanh = __floats2half2_rn(tanhf(t.x), tanhf(t.y));
  out[i] = __hmul2(__hmul2(__float2half2_rn(0.5f), x), __hadd2(__float2half2_rn(1.0f), tanh));
}

__global__ void matmul_wmma(float* c, const half* a, const half* b, int n) {
  using namespace nvcuda::wmma;
  const int row = blockIdx.y * 16, column = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, row_major> fb;
    load_matrix_sync(fa, a + row * n + k, n);
    load_matrix_sync(fb, b + k * n + column, n);
    mma_sync(sum, fa, fb, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

}  // extern "C"
