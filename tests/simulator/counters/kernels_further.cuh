// Kernels of kinds that the other groups lack, written to find out what is still counted otherwise:
// structures of three bytes, ragged blocks, spilled registers, groups that share 16 bytes, atomics of every
// width, volatile words, tables of pointers.
#pragma once

#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "microkernels.h"

namespace further {

__device__ inline int global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

struct Rgb {
  unsigned char r, g, b;
};
/// Three bytes in, three bytes out.
__global__ void invert(const Rgb* in, Rgb* out, int n) {
  const int i = global_thread();
  if (i < n) out[i] = {(unsigned char)(255 - in[i].r), (unsigned char)(255 - in[i].g), in[i].b};
}
/// Pairs of floats from a start that is a multiple of 8 but not of 32 bytes.
__global__ void pairs_from(const float2* in, float2* out, int first, int n) {
  const int i = global_thread();
  if (i < n) out[i + first] = in[i + first];
}
struct Pair {
  float x, y;  // aligned to 4 bytes only: two loads
};
__global__ void loose_pairs(const Pair* in, Pair* out) {
  const Pair p = in[global_thread()];
  out[global_thread()] = {p.y, p.x};
}
/// Reads through the read-only path, four widths.
__global__ void read_only(const unsigned char* bytes, const short* shorts, const float* floats,
                          const float4* vectors, float* out) {
  const int i = global_thread();
  const float4 v = __ldg(vectors + i / 2);
  out[i] = __ldg(bytes + 3 * i) + __ldg(shorts + i + 1) + __ldg(floats + (i ^ 7)) + v.x + v.w;
}
__global__ void halves(const __half2* in, __half2* out, int step) {
  const int i = global_thread();
  out[i] = __hfma2(in[i * step], in[i * step], in[i]);
}
__global__ void single_halves(const __half* in, __half* out, int n) {
  for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x) out[n - 1 - i] = __hadd(in[i], in[i + 1]);
}
/// Warps of a block that is 20 wide lie across rows; the matrix ends in the middle of blocks.
__global__ void ragged(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[y * width + x] * 2;
}
/// The same, turned.
__global__ void ragged_turned(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x] * 2;
}

/// Shared memory, elements of T: one for every @p together lanes, @p stride elements apart.
template <class T>
__global__ void shared_groups(const int* seed, float* out, int together, int stride) {
  __shared__ T tile[1024];
  float* words = reinterpret_cast<float*>(tile);
  for (int i = threadIdx.x; i < int(1024 * sizeof(T) / 4); i += 32) words[i] = float(seed[i]);
  __syncwarp();
  const T v = tile[threadIdx.x / together * stride];
  out[threadIdx.x] =
      reinterpret_cast<const float*>(&v)[0] + reinterpret_cast<const float*>(&v)[sizeof(T) / 4 - 1];
}
/// Bytes stored one by one: four lanes a word, or a word a lane.
__global__ void shared_bytes(unsigned char* out, int stride) {
  __shared__ unsigned char tile[32 * 32];
  for (int i = threadIdx.x; i < 1024; i += 32) tile[i] = 0;
  __syncwarp();
  tile[threadIdx.x * stride] = (unsigned char)(threadIdx.x + 1);
  __syncwarp();
  out[threadIdx.x] = tile[1023 - threadIdx.x * stride];
}

template <class T>
__device__ void add_conflicting(T* tile, int words_apart, T value) {
  atomicAdd(tile + threadIdx.x * words_apart % 512, value);
}
/// Atomics of three types on shared memory, lanes some elements apart.
__global__ void shared_atomics(float* out, int apart) {
  __shared__ unsigned u[512];
  __shared__ float f[512];
  __shared__ unsigned long long w[512];
  for (int i = threadIdx.x; i < 512; i += 32) u[i] = 0, f[i] = 0, w[i] = 0;
  __syncwarp();
  add_conflicting(u, apart, threadIdx.x + 1);
  add_conflicting(f, apart, 1.5f);
  add_conflicting(w, apart, 3ull);
  __syncwarp();
  out[threadIdx.x] = float(u[threadIdx.x]) + f[threadIdx.x] + float(w[threadIdx.x]);
}
__global__ void shared_bit_atomics(unsigned* out) {
  __shared__ unsigned bits[64];
  bits[threadIdx.x] = bits[threadIdx.x + 32] = 0;
  __syncwarp();
  atomicOr(bits + threadIdx.x / 8, 1u << threadIdx.x);
  atomicXor(bits + threadIdx.x % 4 * 16, threadIdx.x);
  atomicMin(reinterpret_cast<int*>(bits) + 32 + threadIdx.x % 2, int(threadIdx.x) - 20);
  const unsigned old = atomicInc(bits + threadIdx.x / 16 * 7, 9);
  __syncwarp();
  out[threadIdx.x] = bits[threadIdx.x] + bits[threadIdx.x + 32] + old;
}
/// One address for the whole grid, values that differ; without and with a use of the result.
__global__ void one_counter(const int* in, int* counter) { atomicAdd(counter, in[global_thread()]); }
__global__ void one_counter_used(const int* in, int* counter, int* out) {
  out[threadIdx.x] = atomicAdd(counter, in[threadIdx.x]) >= 0;
}
/// Addresses of their own, and some shared by a few lanes: types without a sum over the warp.
__global__ void wide_atomics(double* d, float* f, unsigned long long* u, const int* where) {
  const int i = threadIdx.x, e = where[i] % 96;
  atomicAdd(d + i / 2, 1.0);
  atomicAdd(f + e, 2.f);
  atomicMax(u + e, (unsigned long long)i);
  atomicExch(f + 512 + i * 3, 1.f);
}
/// Compare and swap until it succeeds: the lanes of a warp go one after the other.
__global__ void own_multiply(float* product, const int* where) {
  int* word = reinterpret_cast<int*>(product + where[threadIdx.x] % 6);
  int old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, __float_as_int(__int_as_float(seen) * 1.25f + 1));
  } while (old != seen);
}
/// Lanes with the same key elect one.
__global__ void by_match(const int* in, int* bins) {
  const int key = in[global_thread()] % 8;
  const unsigned same = __match_any_sync(~0u, key);
  if (int(threadIdx.x % 32) == __ffs(int(same)) - 1) atomicAdd(bins + key, __popc(same));
}

/// Stores of which each lane makes some.
__global__ void chosen_stores(const int* in, int* out, int n) {
  const int i = global_thread();
  const int v = in[i];
  if (v & 1) out[i] = v;
  if (v % 3 == 0) out[n + i] = v;
  if ((v & 0xF00) == 0x300) out[2 * n + i] = v;
}
/// A tile with a halo by cp.async of 16 and 4 bytes; outside there are zeros.
__global__ void async_tile(const float* in, float* out, int width, int height) {
  __shared__ __align__(16) float tile[10][40];
  const int y = blockIdx.y * 8 + int(threadIdx.y) - 1, x = blockIdx.x * 32 + int(threadIdx.x) * 4;
  if (threadIdx.x < 8) {
    const bool inside = y >= 0 && y < height && x < width;
    __pipeline_memcpy_async(&tile[threadIdx.y][4 + threadIdx.x * 4], in + (inside ? y * width + x : 0), 16,
                            inside ? 0 : 16);
  } else if (threadIdx.x < 10) {
    const int side = blockIdx.x * 32 + (threadIdx.x == 8 ? -1 : 32);
    const bool inside = y >= 0 && y < height && side >= 0 && side < width;
    __pipeline_memcpy_async(&tile[threadIdx.y][threadIdx.x == 8 ? 3 : 36],
                            in + (inside ? y * width + side : 0), 4, inside ? 0 : 4);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  if (threadIdx.y >= 8) return;
  const int row = blockIdx.y * 8 + threadIdx.y;
  for (int c = threadIdx.x; c < 32; c += blockDim.x)
    out[row * width + blockIdx.x * 32 + c] = tile[threadIdx.y][c + 3] + tile[threadIdx.y + 1][c + 4] +
                                             tile[threadIdx.y + 1][c + 5] + tile[threadIdx.y + 2][c + 4];
}
/// ldmatrix of rows of 64 bytes whose 16-byte pieces are exchanged by row.
__global__ void swizzled_fragments(unsigned* out, int by) {
  __shared__ uint4 tile[32][4];
  for (int i = threadIdx.x; i < 512; i += 32) (&tile[0][0].x)[i] = i;
  __syncwarp();
  const int row = threadIdx.x % 16, piece = threadIdx.x / 16 ^ (row / by & 3);
  const unsigned from = unsigned(__cvta_generic_to_shared(&tile[row][piece]));
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from));
  unsigned t[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(t[0]), "=r"(t[1])
               : "r"(from));
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3] + t[0] + t[1];
}
/// A warp's sum through volatile words of shared memory, as before shuffles, and volatile global words.
__global__ void volatile_words(volatile int* global, int* out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = global[t] + global[t];
  s[t + 32] = 0;
  for (int h = 16; h > 0; h /= 2) {
    __syncwarp();
    const int other = s[t + h];
    __syncwarp();
    s[t] = s[t] + other;
  }
  global[t] = s[0];
  global[t] = s[t];
  out[t] = s[31 - t];
}
struct Entry {
  float scale;
  int shift;
};
__constant__ Entry kEntries[32];
/// Constants that the lanes take from different places, structures of two words.
__global__ void constants_by_lane(const int* in, float* out) {
  const Entry e = kEntries[in[global_thread()] % 32];
  out[global_thread()] = e.scale * float(in[global_thread()] << e.shift);
}
/// Lists: each lane follows its own.
__global__ void lists(const int* next, int* out, int steps) {
  int at = global_thread();
  for (int k = 0; k < steps; ++k) at = next[at] & 0xFFFF;
  out[global_thread()] = at;
}
/// Columns of which a table says where they lie.
__global__ void through_table(float* const* columns, float* out, int n) {
  float sum = 0;
  for (int c = 0; c < 5; ++c) sum += columns[c][global_thread() % n];
  out[global_thread()] = sum;
}
/// More values than registers: 40 sums that all live at the end, with room for 32 registers.
__global__ void __launch_bounds__(1024, 2) spilled(const float* in, float* out, int n) {
  float sums[40];
  for (int k = 0; k < 40; ++k) sums[k] = in[k * n + global_thread()];
  for (int r = 0; r < n % 7; ++r)
    for (int k = 0; k < 40; ++k) sums[k] = sums[k] * sums[(k + 13) % 40] + float(r);
  for (int k = 0; k < 40; ++k) out[k * n + global_thread()] = sums[k];
}
/// A stack of structures in local memory, its depth the lane's own.
__global__ void local_stack(const int* in, int* out) {
  int2 stack[12];
  const int depth = in[global_thread()] % 12 + 1;
  for (int k = 0; k < depth; ++k) stack[k] = make_int2(k, in[k]);
  int sum = 0;
  for (int k = depth; k-- > 0;) sum = sum * 3 + stack[k].x + stack[k].y;
  out[global_thread()] = sum;
}
/// One pointer that is shared memory for some blocks and global for others.
__global__ void either_space(int* global, int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int* p = blockIdx.x % 2 ? s : global;
  out[global_thread()] = p[threadIdx.x * 3 % 128];
  __syncthreads();
  p[threadIdx.x] = 7;
}
/// 16 x 16 turned without shared memory: by shuffles, two rows a warp.
__global__ void turned_by_shuffle(const int* in, int* out) {
  const int lane = threadIdx.x % 32, v = in[threadIdx.x];
  out[threadIdx.x] = __shfl_sync(~0u, v, lane % 2 * 16 + lane / 2) + __shfl_xor_sync(~0u, v, 5);
}
/// Eight sums by half-precision tiles that lie as pairs in shared memory.
__global__ void half_tiles(const __half2* a, const __half2* b, float* c, int k2) {
  __shared__ __half2 sa[16][9], sb[8][16];
  float sum = 0;
  for (int k = 0; k < k2; k += 8) {
    if (threadIdx.x < 8) sa[threadIdx.y][threadIdx.x] = a[threadIdx.y * k2 + k + threadIdx.x];
    if (threadIdx.y < 8) sb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * 16 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      const float2 p = __half22float2(__hmul2(sa[threadIdx.y][i], sb[i][threadIdx.x]));
      sum += p.x + p.y;
    }
    __syncthreads();
  }
  c[threadIdx.y * 16 + threadIdx.x] = sum;
}
/// Keys put in order of a digit of two bits: ballots, counts by warp, scattered stores.
__global__ void radix_pass(const unsigned* in, unsigned* out, int shift) {
  __shared__ int counts[4][4];  // digit, warp
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned key = in[threadIdx.x], digit = key >> shift & 3;
  int rank = 0;
  for (unsigned d = 0; d < 4; ++d) {
    const unsigned with = __ballot_sync(~0u, digit == d);
    if (digit == d) rank = __popc(with & ((1u << lane) - 1));
    if (lane == 0) counts[d][warp] = __popc(with);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < 16; ++i) {
      const int n = (&counts[0][0])[i];
      (&counts[0][0])[i] = sum;
      sum += n;
    }
  }
  __syncthreads();
  out[counts[digit][warp] + rank] = key;
}
/// 8-byte pieces of a word stream that is aligned to 4 bytes, moved by shifting between neighbours.
__global__ void realigned(const unsigned* in, uint2* out, int skip) {
  const uint2* from = reinterpret_cast<const uint2*>(in);
  const uint2 here = from[global_thread()], next = from[global_thread() + 1];
  out[global_thread()] = skip ? make_uint2(here.y, next.x) : here;
}

}  // namespace further

inline void run_further() {
  using namespace further;
  constexpr int kN = 1 << 18;
  std::vector<int> values(kN);
  Sequence random{23};
  for (int& v : values) v = int(random() & 0xFFFFFF);
  int* data = device_copy(values);
  float *a = device_zeros<float>(kN), *b = device_zeros<float>(kN);
  int* ints = device_zeros<int>(kN);
  double* wide = device_zeros<double>(kN);
  next("three bytes"), invert<<<4, 128>>>((Rgb*)data, (Rgb*)b, 500);
  for (int first : {1, 3})
    next("float2 from " + std::to_string(8 * first)),
        pairs_from<<<4, 128>>>((float2*)a, (float2*)b, first, 450);
  next("pairs of loose floats"), loose_pairs<<<4, 96>>>((Pair*)a, (Pair*)b);
  next("read only, four widths"), read_only<<<4, 128>>>((unsigned char*)data, (short*)data, a, (float4*)a, b);
  for (int step : {1, 2, 5})
    next("half2, step " + std::to_string(step)), halves<<<4, 128>>>((__half2*)a, (__half2*)b, step);
  next("halves backwards"), single_halves<<<3, 160>>>((__half*)a, (__half*)b, 1999);
  const dim3 ragged_grid(3, 3), ragged_block(20, 12);
  next("ragged blocks"), ragged<<<ragged_grid, ragged_block>>>(a, b, 53, 31);
  next("ragged blocks, turned"), ragged_turned<<<ragged_grid, ragged_block>>>(a, b, 53, 31);
  for (int together : {1, 2, 3, 4, 8})
    for (int stride : {1, 2, 3, 16, 17}) {
      const std::string how = std::to_string(together) + " together, stride " + std::to_string(stride);
      next("shared double, " + how), shared_groups<double><<<1, 32>>>(data, b, together, stride);
      next("shared float4, " + how), shared_groups<float4><<<1, 32>>>(data, b, together, stride);
    }
  for (int stride : {1, 2, 4, 31})
    next("shared bytes, stride " + std::to_string(stride)),
        shared_bytes<<<1, 32>>>((unsigned char*)b, stride);
  for (int apart : {0, 1, 2, 16, 32, 33})
    next("shared atomics, " + std::to_string(apart) + " apart"), shared_atomics<<<1, 32>>>(b, apart);
  next("shared bit atomics"), shared_bit_atomics<<<1, 32>>>((unsigned*)ints);
  next("one counter"), one_counter<<<4, 100>>>(data, ints);
  next("one counter, result used"), one_counter_used<<<1, 75>>>(data, ints, (int*)b);
  next("wide atomics"), wide_atomics<<<1, 64>>>(wide, a + 4096, (unsigned long long*)(wide + 1024), data);
  next("multiplied by compare and swap"), own_multiply<<<1, 32>>>(a + 8192, data);
  next("counted by match"), by_match<<<2, 64>>>(data, ints + 64);
  next("chosen stores"), chosen_stores<<<4, 128>>>(data, ints, 512);
  next("tile by cp.async, with halo"), async_tile<<<dim3(2, 3), dim3(10, 10)>>>(a, b, 64, 24);
  for (int by : {1, 2, 8})
    next("ldmatrix, exchanged by " + std::to_string(by)), swizzled_fragments<<<1, 32>>>((unsigned*)ints, by);
  next("volatile words"), volatile_words<<<1, 32>>>(ints, (int*)b);
  next("constants by lane"), constants_by_lane<<<2, 96>>>(data, b);
  next("lists"), lists<<<2, 96>>>(data, ints, 5);
  float* columns[5];
  for (int c = 0; c < 5; ++c) columns[c] = a + 1001 * c;
  float** table = device_copy(std::vector<float*>(columns, columns + 5));
  next("columns by a table"), through_table<<<4, 96>>>(table, b, 300);
  next("more values than registers"), spilled<<<2, 256>>>(a, b, 1030);
  next("stack of structures"), local_stack<<<2, 96>>>(data, ints);
  next("either space"), either_space<<<2, 128>>>(data, ints);
  next("turned by shuffles"), turned_by_shuffle<<<1, 256>>>(data, ints);
  next("tiles of halves"), half_tiles<<<1, dim3(16, 16)>>>((__half2*)a, (__half2*)a, b, 32);
  next("radix pass"), radix_pass<<<1, 128>>>((unsigned*)data, (unsigned*)ints, 4);
  for (int skip : {0, 1})
    next("realigned by " + std::to_string(skip)), realigned<<<2, 96>>>((unsigned*)data, (uint2*)ints, skip);
}
