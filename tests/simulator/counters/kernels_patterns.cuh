// Ordinary kernels that combine data: reductions, scans, histograms, compaction, divergence.
#pragma once

#include "microkernels.h"

__global__ void reduce_divergent(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int h = 1; h < 256; h *= 2) {
    if (t % (2 * h) == 0) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_conflicts(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int h = 1; h < 256; h *= 2) {
    const int at = 2 * h * t;
    if (at < 256) s[at] += s[at + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_sequential(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t] + in[blockIdx.x * 512 + 256 + t];
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__device__ inline float warp_sum(float v) {
  for (int h = 16; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);
  return v;
}
__global__ void reduce_shuffle(const float4* in, float* out, int n) {
  __shared__ float s[8];
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const float4 x = in[i];
    v += x.x + x.y + x.z + x.w;
  }
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < 8 ? s[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}
__global__ void reduce_atomic(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
__global__ void reduce_float_atomic(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
__global__ void last_block(const float* in, float* partial, unsigned* ticket, float* out) {
  __shared__ bool last;
  const float v = warp_sum(in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (int i = threadIdx.x; i < int(gridDim.x); i += 32) sum += ((volatile float*)partial)[i];
  sum = warp_sum(sum);
  if (threadIdx.x == 0) *out = sum;
}

__global__ void scan_hillis_steele(const int* in, int* out) {
  __shared__ int s[2][256];
  const int t = threadIdx.x;
  int from = 0;
  s[0][t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int h = 1; h < 256; h *= 2) {
    s[1 - from][t] = s[from][t] + (t >= h ? s[from][t - h] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = s[from][t];
}
template <bool kPadded>
__global__ void scan_blelloch(const int* in, int* out) {
  __shared__ int s[512 + 512 / 32];
  const auto place = [](int i) { return kPadded ? i + i / 32 : i; };
  const int t = threadIdx.x;
  s[place(2 * t)] = in[blockIdx.x * 512 + 2 * t];
  s[place(2 * t + 1)] = in[blockIdx.x * 512 + 2 * t + 1];
  for (int h = 1, left = 256; left > 0; left /= 2, h *= 2) {
    __syncthreads();
    if (t < left) s[place(h * (2 * t + 2) - 1)] += s[place(h * (2 * t + 1) - 1)];
  }
  if (t == 0) s[place(511)] = 0;
  for (int h = 256, busy = 1; busy < 512; busy *= 2, h /= 2) {
    __syncthreads();
    if (t < busy) {
      const int a = place(h * (2 * t + 1) - 1), b = place(h * (2 * t + 2) - 1), v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  out[blockIdx.x * 512 + t] = s[place(t)];
  out[blockIdx.x * 512 + t + 256] = s[place(t + 256)];
}

__global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(bins + in[i], 1u);
}
__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(s + in[i], 1u);
  __syncthreads();
  atomicAdd(bins + threadIdx.x, s[threadIdx.x]);
}
__global__ void histogram_by_warp(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned s[8][257];
  for (int i = threadIdx.x; i < 8 * 257; i += 256) (&s[0][0])[i] = 0;
  __syncthreads();
  unsigned* mine = s[threadIdx.x / 32];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned v = in[i];
    atomicAdd(mine + (v & 255), 1u);
    atomicAdd(mine + (v >> 8 & 255), 1u);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < 8; ++k) sum += s[k][threadIdx.x];
  if (sum) atomicAdd(bins + threadIdx.x, sum);
}

__global__ void copy_if_atomic(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[atomicAdd(count, 1)] = in[i];
}
__global__ void copy_if_ballot(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int v = i < n ? in[i] : 0;
  const unsigned chosen = __ballot_sync(~0u, v > 0);
  int base = 0;
  if (lane == 0 && chosen) base = atomicAdd(count, __popc(chosen));
  base = __shfl_sync(~0u, base, 0);
  if (v > 0) out[base + __popc(chosen & ((1u << lane) - 1))] = v;
}

__global__ void divergent_by_lane(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  if (i % 2) {
    for (int k = 0; k < (v & 15); ++k) v = v * 3 + in[k];
  } else {
    for (int k = 0; k < (v & 7); ++k) v = v * 5 - in[k];
  }
  out[i] = v;
}
__global__ void collatz(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = unsigned(in[i]) % 1000 + 1;
  int steps = 0;
  for (; v != 1 && steps < 200; ++steps) v = v % 2 ? 3 * v + 1 : v / 2;
  out[i] = steps;
}
__global__ void switch_by_lane(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (in[i] & 3) {
    case 0:
      out[i] = in[i + 1];
      break;
    case 1:
      out[2 * i] = in[i + 2] * 3;
      break;
    case 2:
      out[i + 8] = in[i] + in[4 * i];
      break;
    default:
      out[3 * i] = 1;
  }
}
__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float s[256 + 2];
  const int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x + 1;
  s[t] = i < n ? in[i] : 0;
  if (t == 1) s[0] = i > 0 ? in[i - 1] : 0;
  if (t == 256) s[257] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = s[t - 1] + s[t] + s[t + 1];
}

void run_patterns() {
  constexpr int kN = 1 << 14;
  std::vector<int> values(kN);
  Sequence random{11};
  for (int& v : values) v = int(random() & 0xffff) - 20000;
  const int* ints = device_copy(values);
  const float* floats = device_zeros<float>(kN);
  float* out = device_zeros<float>(4 * kN);
  int* iout = (int*)out;
  unsigned* bins = device_zeros<unsigned>(256);
  next("reduction, divergent"), reduce_divergent<<<8, 256>>>(floats, out);
  next("reduction, bank conflicts"), reduce_conflicts<<<8, 256>>>(floats, out);
  next("reduction, sequential"), reduce_sequential<<<8, 256>>>(floats, out);
  next("reduction, shuffles and float4"), reduce_shuffle<<<4, 256>>>((const float4*)floats, out, kN / 4);
  next("reduction, one atomic a thread"), reduce_atomic<<<20, 256>>>(ints, iout, 5003);
  next("reduction, one float atomic a thread"), reduce_float_atomic<<<20, 256>>>(floats, out, 5003);
  next("reduction, last block"), last_block<<<40, 32>>>(floats, out, bins, out + 64);
  next("scan, Hillis and Steele"), scan_hillis_steele<<<8, 256>>>(ints, iout);
  next("scan, Blelloch"), scan_blelloch<false><<<8, 256>>>(ints, iout);
  next("scan, Blelloch padded"), scan_blelloch<true><<<8, 256>>>(ints, iout);
  next("histogram, global"), histogram_global<<<40, 256>>>((const unsigned char*)ints, bins, 10007);
  next("histogram, shared"), histogram_shared<<<4, 256>>>((const unsigned char*)ints, bins, 10007);
  next("histogram, by warp"), histogram_by_warp<<<4, 256>>>((const unsigned*)ints, bins, 10007);
  next("copy if, one atomic a thread"), copy_if_atomic<<<40, 256>>>(ints, iout, (int*)bins, 10007);
  next("copy if, ballot"), copy_if_ballot<<<40, 256>>>(ints, iout, (int*)bins, 10007);
  next("divergence, by lane"), divergent_by_lane<<<8, 128>>>(ints, iout);
  next("divergence, Collatz"), collatz<<<8, 128>>>(ints, iout);
  next("divergence, switch"), switch_by_lane<<<8, 128>>>(ints, iout);
  next("stencil"), stencil<<<10, 256>>>(floats, out, 2500);
}
