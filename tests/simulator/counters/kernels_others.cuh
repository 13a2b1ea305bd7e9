// Kernels written after the counters were in order, to see whether they hold elsewhere: odd alignments and
// masks, cache hints, tiles of bytes and of three words, halos, queues, spilled arrays, padded matrix
// fragments.
#pragma once

#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include "microkernels.h"

namespace others {

__device__ inline int global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// 16 bytes a lane from a start that is no multiple of 32: one sector more than a multiple would take.
__global__ void vectors_from(const float4* in, float4* out, int first) {
  out[global_thread()] = in[global_thread() + first];
}
/// Lanes in different pages of 64 KiB.
__global__ void pages_apart(const double* in, double* out) {
  out[global_thread()] = in[global_thread() * 8192 % (1 << 18)];
}
/// Two sides of a branch store to two arrays; with a third condition on top.
__global__ void branch_stores(const int* in, int* a, int* b, int n) {
  const int i = global_thread();
  if (i >= n) return;
  if (i % 3 == 0)
    a[i] = in[i];
  else if (i % 5 != 0)
    b[2 * i] = in[i] + 1;
}
/// One load whose lanes read from two arrays.
__global__ void chosen_pointer(const float* a, const float* b, float* out) {
  const int i = global_thread();
  const float* p = i % 2 ? a : b;
  out[i] = p[i];
}
/// Loads and stores with cache hints.
__global__ void cache_hints(const float4* in, float4* out, int n) {
  const int i = global_thread();
  if (i >= n) return;
  const float4 u = __ldcg(in + i), v = __ldcs(in + n + i), w = __ldlu(in + 2 * n + i);
  __stcs(out + i, make_float4(u.x + v.x + w.x, u.y, v.z, w.w));
  __stwt(out + n + i, v);
}
/// Twelve bytes a lane: three loads and three stores of four.
__global__ void float3_scale(const float3* in, float3* out) {
  const float3 v = in[global_thread()];
  out[global_thread()] = make_float3(2 * v.x, 2 * v.y, 2 * v.z);
}
struct __align__(2) Packed {
  unsigned char tag[6];
};
__global__ void packed_copy(const Packed* in, Packed* out) { out[global_thread()] = in[global_thread()]; }

/// 16-byte accesses of shared memory by some of the lanes, rows @p pad words apart.
__global__ void vectors_some_lanes(float4* out, int every, int row_words) {
  extern __shared__ float4 tile[];
  float* words = reinterpret_cast<float*>(tile);
  for (int i = threadIdx.x; i < 32 * row_words; i += 32) words[i] = float(i);
  __syncwarp();
  float4 v{};
  if (threadIdx.x % every != 0) v = *reinterpret_cast<float4*>(words + threadIdx.x * row_words);
  if (threadIdx.x < 20) tile[threadIdx.x ^ 5] = v;
  __syncwarp();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
/// A tile of bytes read by columns: four lanes share a word only when neighbours in a row.
template <int kPitch>
__global__ void byte_columns(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char tile[32][kPitch];
  for (int r = threadIdx.y; r < 32; r += blockDim.y) tile[r][threadIdx.x] = in[r * 32 + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += blockDim.y) out[r * 32 + threadIdx.x] = tile[threadIdx.x][r];
}
/// Structures of three words in shared memory.
__global__ void float3_tile(const float3* in, float3* out) {
  __shared__ float3 tile[256];
  tile[threadIdx.x] = in[global_thread()];
  __syncthreads();
  out[global_thread()] = tile[255 - threadIdx.x];
}
__global__ void double_columns(const double* in, double* out) {
  __shared__ double tile[32][17];
  for (int c = threadIdx.y; c < 16; c += blockDim.y) tile[threadIdx.x][c] = in[threadIdx.x * 16 + c];
  __syncthreads();
  for (int c = threadIdx.y; c < 16; c += blockDim.y) out[c * 32 + threadIdx.x] = tile[threadIdx.x][c];
}

/// A queue: lanes that found something take places by a shared atomic whose result they need.
__global__ void block_queue(const int* in, int* out, int* count, int n) {
  __shared__ int taken, first;
  __shared__ int found[256];
  if (threadIdx.x == 0) taken = 0;
  __syncthreads();
  const int i = global_thread();
  if (i < n && in[i] % 4 == 1) found[atomicAdd(&taken, 1)] = i;
  __syncthreads();
  if (threadIdx.x == 0) first = atomicAdd(count, taken);
  __syncthreads();
  if (threadIdx.x < taken) out[first + threadIdx.x] = found[threadIdx.x];
}
/// Bytes counted by shared memory atomics, one copy a warp, then added to global memory without a result.
__global__ void byte_histogram(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned counts[4][256];
  for (int i = threadIdx.x; i < 1024; i += 128) counts[i / 256][i % 256] = 0;
  __syncthreads();
  for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x)
    for (unsigned v = in[i], k = 0; k < 4; ++k, v >>= 8) atomicAdd(&counts[threadIdx.x / 32][v & 255], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128)
    atomicAdd(bins + i, counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i]);
}
__global__ void atomics_of_kinds(const unsigned* in, unsigned long long* wide, unsigned* narrow,
                                 __half2* halves) {
  const int i = global_thread();
  atomicMin(wide + in[i] % 64, (unsigned long long)i);
  atomicOr(narrow + i / 2, 1u << i % 32);
  narrow[4096 + i] = atomicInc(narrow + 2048 + i % 16, 99u);
  atomicAdd(halves + i / 4, __floats2half2_rn(1.f, 2.f));
}
__global__ void shared_atomics_with_results(const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  const unsigned v = in[global_thread()] % 64;
  const unsigned a = atomicExch(bins + v, threadIdx.x), b = atomicMax(bins + v / 2, a);
  out[global_thread()] = atomicAdd(bins + v / 4, b);
}

/// A line of cells and three to either side; the first lanes fetch the halo.
__global__ void stencil_line(const float* in, float* out, int n) {
  __shared__ float cells[128 + 6];
  const int i = global_thread(), c = threadIdx.x + 3;
  cells[c] = i < n ? in[i] : 0;
  if (threadIdx.x < 3) {
    cells[threadIdx.x] = i >= 3 ? in[i - 3] : 0;
    cells[c + 128] = i + 128 < n ? in[i + 128] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -3; k <= 3; ++k) sum += cells[c + k];
  if (i < n) out[i] = sum;
}
/// A 16 x 16 tile with a halo of one: a warp is two rows, 18 words apart.
__global__ void stencil_tile(const float* in, float* out, int width, int height) {
  __shared__ float tile[18][18];
  const int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 16 - 1;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18; k += 256) {
    const int x = min(max(x0 + k % 18, 0), width - 1), y = min(max(y0 + k / 18, 0), height - 1);
    tile[k / 18][k % 18] = in[y * width + x];
  }
  __syncthreads();
  const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (x < width && y < height)
    out[y * width + x] =
        tile[ty][tx] - 0.25f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
}
/// Seven points of a volume, straight from global memory; a warp is a slab of 8 x 4 cells.
__global__ void stencil_volume(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y,
            z = blockIdx.z * 4 + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  const int i = (z * n + y) * n + x;
  out[i] = in[i] * 6 - in[i - 1] - in[i + 1] - in[i - n] - in[i + n] - in[i - n * n] - in[i + n * n];
}

/// ldmatrix of rows @p pitch bytes apart, as they are and transposed.
__global__ void fragments(unsigned* out, int pitch) {
  extern __shared__ uint4 storage[];
  unsigned* words = reinterpret_cast<unsigned*>(storage);
  for (int i = threadIdx.x; i < 32 * pitch / 4; i += 32) words[i] = i;
  __syncwarp();
  const unsigned from = unsigned(__cvta_generic_to_shared(reinterpret_cast<char*>(storage) +
                                                          threadIdx.x % 16 * pitch + threadIdx.x / 16 * 16));
  unsigned r[8];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
               : "r"(from));
  for (int k = 0; k < 8; ++k) out[k * 32 + threadIdx.x] = r[k];
}

__constant__ float kWeights[16];
/// Constants by loop counter, by block and by lane.
__global__ void constants(const float* in, float* out) {
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += kWeights[k] * in[global_thread() + k];
  out[global_thread()] = sum + kWeights[blockIdx.x] + kWeights[threadIdx.x % 16];
}
/// Arrays that do not fit registers, of eight bytes and of structures.
__global__ void local_doubles(const int* index, double* out) {
  double values[16];
  for (int i = 0; i < 16; ++i) values[i] = index[i] * 0.5;
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += values[index[global_thread() + i] & 15];
  if (threadIdx.x % 4 != 3) values[index[global_thread()] & 15] = sum;
  out[global_thread()] = sum + values[index[global_thread() + 1] & 15];
}
__global__ void matrix_vector(const float4* matrix, const float4* vector, float* out, int cols4) {
  const int row = global_thread() / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = lane; c < cols4; c += 32) {
    const float4 m = matrix[row * cols4 + c], v = vector[c];
    sum += m.x * v.x + m.y * v.y + m.z * v.z + m.w * v.w;
  }
  for (int h = 16; h > 0; h /= 2) sum += __shfl_down_sync(~0u, sum, h);
  if (lane == 0) out[row] = sum;
}
__global__ void bitonic_sort(int* data) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = data[global_thread()];
  for (int size = 2; size <= 256; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int other = t ^ stride;
      if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
        const int held = s[t];
        s[t] = s[other];
        s[other] = held;
      }
    }
  }
  __syncthreads();
  data[global_thread()] = s[t];
}
/// Appends by groups of lanes that came the same way.
__global__ void aggregated_append(const int* in, int* out, int* count, int n) {
  const int i = global_thread();
  if (i >= n || in[i] % 3 != 0) return;
  const auto group = cooperative_groups::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(count, int(group.size()));
  out[group.shfl(first, 0) + group.thread_rank()] = i;
}
/// Lanes leave a loop one after the other; each stores where it ended.
__global__ void collatz(const int* in, int* out) {
  int n = in[global_thread()] % 97 + 1, steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  out[global_thread()] = steps;
}

}  // namespace others

inline void run_others() {
  using namespace others;
  constexpr int kN = 1 << 18;
  double* wide = device_zeros<double>(kN);
  float *a = device_zeros<float>(kN), *b = device_zeros<float>(kN);
  std::vector<int> values(kN);
  Sequence random{11};
  for (int& v : values) v = int(random() & 0xFFFFFF);
  int* data = device_copy(values);
  unsigned* bins = device_zeros<unsigned>(kN);
  int *ints = device_zeros<int>(kN), *more = device_zeros<int>(kN);
  for (int first : {1, 2, 3})
    next("float4 from " + std::to_string(16 * first)),
        vectors_from<<<8, 128>>>((float4*)a, (float4*)b, first);
  next("doubles in different pages"), pages_apart<<<4, 64>>>(wide, (double*)b);
  next("stores on both sides of a branch"), branch_stores<<<8, 128>>>(data, ints, more, 1000);
  next("a pointer chosen by lane"), chosen_pointer<<<8, 128>>>(a, b + 4, b + 8192);
  next("cache hints"), cache_hints<<<8, 128>>>((float4*)a, (float4*)b, 1000);
  next("float3"), float3_scale<<<8, 128>>>((float3*)a, (float3*)b);
  next("packed structures"), packed_copy<<<8, 128>>>((Packed*)a, (Packed*)b);
  for (int pitch : {4, 8, 12, 20, 36})
    for (int every : {2, 3, 7})
      next("16 bytes, rows of " + std::to_string(pitch) + " words, without every " + std::to_string(every)),
          vectors_some_lanes<<<1, 32, 32 * 4 * 36>>>((float4*)b, every, pitch);
  next("columns of bytes, pitch 32"),
      byte_columns<32><<<1, dim3(32, 8)>>>((unsigned char*)data, (unsigned char*)b);
  next("columns of bytes, pitch 33"),
      byte_columns<33><<<1, dim3(32, 8)>>>((unsigned char*)data, (unsigned char*)b);
  next("columns of bytes, pitch 36"),
      byte_columns<36><<<1, dim3(32, 8)>>>((unsigned char*)data, (unsigned char*)b);
  next("float3 in shared memory"), float3_tile<<<2, 256>>>((float3*)a, (float3*)b);
  next("columns of doubles"), double_columns<<<1, dim3(32, 4)>>>(wide, (double*)b);
  next("queue of a block"), block_queue<<<1, 256>>>(data, ints, more, 250);
  next("bytes counted by warps"), byte_histogram<<<4, 128>>>((unsigned*)data, bins, 3001);
  next("atomics of many kinds"),
      atomics_of_kinds<<<4, 128>>>((unsigned*)data, (unsigned long long*)wide, bins, (__half2*)b);
  next("shared atomics with results"), shared_atomics_with_results<<<1, 32>>>((unsigned*)data, bins);
  next("stencil, a line with halo"), stencil_line<<<8, 128>>>(a, b, 1000);
  next("stencil, a tile with halo"), stencil_tile<<<dim3(4, 3), dim3(16, 16)>>>(a, b, 60, 41);
  next("stencil, seven points"), stencil_volume<<<dim3(3, 3, 5), dim3(8, 8, 4)>>>(a, b, 20);
  for (int pitch : {128, 144, 160, 80})
    next("ldmatrix, rows of " + std::to_string(pitch) + " bytes"),
        fragments<<<1, 32, 32 * 160>>>(bins, pitch);
  next("constants three ways"), constants<<<8, 128>>>(a, b);
  next("local array of doubles"), local_doubles<<<4, 96>>>(data, wide);
  next("matrix times vector"), matrix_vector<<<4, 128>>>((float4*)a, (float4*)a, b, 100);
  next("bitonic sort"), bitonic_sort<<<2, 256>>>(data);
  next("appends by groups"), aggregated_append<<<1, 32>>>(data, ints, more + 1, 30);
  next("collatz"), collatz<<<4, 128>>>(data, ints);
}
