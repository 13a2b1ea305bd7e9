// Kernels that do nothing but move memory, or nothing but compute, as fast as we know how: the measure of
// "speed of light".
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace {

// A block moves one contiguous chunk of blockDim.x * kLoads * 16 bytes; every thread has kLoads 16-byte loads
// in flight before it uses the first, since one load after the other would wait out the memory's latency each
// time.
template <int kLoads>
__device__ long long chunk_start() {
  return static_cast<long long>(blockIdx.x) * (blockDim.x * kLoads) + threadIdx.x;
}

template <int kLoads>
__device__ void load(int4 (&value)[kLoads], const int4* in, long long at, long long n) {
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    value[i] = at + i * blockDim.x < n ? __ldcs(in + at + i * blockDim.x) : make_int4(0, 0, 0, 0);
}

template <int kLoads>
__device__ void store(int4* out, const int4 (&value)[kLoads], long long at, long long n) {
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (at + i * blockDim.x < n) __stcs(out + at + i * blockDim.x, value[i]);
}

template <int kLoads>
__global__ void read_kernel(int4* out, const int4* in, const int4*, long long n) {
  int4 value[kLoads];
  load<kLoads>(value, in, chunk_start<kLoads>(), n);
  int all = 0;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) all |= value[i].x | value[i].y | value[i].z | value[i].w;
  if (all != 0) out[0] = value[0];  // never, as the input is zero; the compiler cannot know
}

template <int kLoads>
__global__ void write_kernel(int4* out, const int4*, const int4*, long long n) {
  int4 value[kLoads] = {};
  store<kLoads>(out, value, chunk_start<kLoads>(), n);
}

template <int kLoads>
__global__ void copy_kernel(int4* out, const int4* in, const int4*, long long n) {
  int4 value[kLoads];
  const long long at = chunk_start<kLoads>();
  load<kLoads>(value, in, at, n);
  store<kLoads>(out, value, at, n);
}

template <int kLoads>
__global__ void two_to_one_kernel(int4* out, const int4* a, const int4* b, long long n) {
  int4 value[kLoads];
  int4 other[kLoads];
  const long long at = chunk_start<kLoads>();
  load<kLoads>(value, a, at, n);
  load<kLoads>(other, b, at, n);
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    value[i].x += other[i].x;
    value[i].y += other[i].y;
    value[i].z += other[i].z;
    value[i].w += other[i].w;
  }
  store<kLoads>(out, value, at, n);
}

template <int kLoads>
cudaError_t launch(int mix, int threads, int4* out, const int4* a, const int4* b, long long n) {
  const long long chunk = static_cast<long long>(threads) * kLoads;
  const auto blocks = static_cast<unsigned>((n + chunk - 1) / chunk);
  switch (mix) {
    case 0:
      read_kernel<kLoads><<<blocks, threads>>>(out, a, b, n);
      break;
    case 1:
      two_to_one_kernel<kLoads><<<blocks, threads>>>(out, a, b, n);
      break;
    case 2:
      copy_kernel<kLoads><<<blocks, threads>>>(out, a, b, n);
      break;
    case 3:
      write_kernel<kLoads><<<blocks, threads>>>(out, a, b, n);
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

constexpr int kChains = 8;  // multiply-adds of a thread that do not wait for each other

template <class T>
__global__ void multiply_add_kernel(T* out, T factor, T term, int steps) {
  T x[kChains];
#pragma unroll
  for (int k = 0; k < kChains; ++k) x[k] = static_cast<T>(threadIdx.x + k);
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < kChains; ++k) x[k] = x[k] * factor + term;
  }
  T all = 0;
#pragma unroll
  for (int k = 0; k < kChains; ++k) all += x[k];
  if (all == T(-1)) out[0] = all;  // never, as all terms are positive; the compiler cannot know
}

constexpr int kSide = 16;  // of a matrix on a tensor core
constexpr int kSums = 4;   // products of a warp that do not wait for each other
constexpr int kThreads = 256;

__global__ void tensor_kernel(float* out, float factor, int steps) {
  namespace wmma = nvcuda::wmma;
  wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> sum[kSums];
  wmma::fill_fragment(left, __float2half(factor));
  wmma::fill_fragment(right, __float2half(factor));
#pragma unroll
  for (int k = 0; k < kSums; ++k) wmma::fill_fragment(sum[k], static_cast<float>(k));
#pragma unroll 4
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < kSums; ++k) wmma::mma_sync(sum[k], left, right, sum[k]);
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < kSums; ++k)
    for (int i = 0; i < sum[k].num_elements; ++i) all += sum[k].x[i];
  if (all == -1.0f) out[0] = all;
}

}  // namespace

/// Launches one kernel that does nothing but compute, on the default stream.
///
/// @param unit    0 multiply-adds in single precision; 1 in double; 2 products of half-precision matrices
/// @param blocks  of 256 threads
/// @param steps   of every thread, or warp
/// @param out     device, 8 bytes; not written
/// @param flops   host; how many operations the launch does
/// @return cudaSuccess, or the launch error; cudaErrorInvalidValue for another unit
extern "C" cudaError_t ladder_peak_compute(int unit, int blocks, int steps, void* out, double* flops) {
  const double threads = static_cast<double>(blocks) * kThreads;
  *flops = 2.0 * kChains * steps * threads;
  if (unit == 0) {
    multiply_add_kernel<<<blocks, kThreads>>>(static_cast<float*>(out), 0.5f, 1.0f, steps);
  } else if (unit == 1) {
    multiply_add_kernel<<<blocks, kThreads>>>(static_cast<double*>(out), 0.5, 1.0, steps);
  } else if (unit == 2) {
    *flops = 2.0 * kSide * kSide * kSide * kSums * steps * threads / 32;
    tensor_kernel<<<blocks, kThreads>>>(static_cast<float*>(out), 0.5f, steps);
  } else {
    return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

/// Launches one kernel that does nothing but move memory, on the default stream.
///
/// @param mix    0 reads a; 1 reads a and b, writes out; 2 reads a, writes out; 3 writes out
/// @param loads  16-byte accesses a thread has in flight per array: 1, 2, 4 or 8
/// @param threads  threads a block, at most 1024
/// @param out    device, @p bytes
/// @param a      device, @p bytes, all zero
/// @param b      device, @p bytes, all zero
/// @param bytes  of each array, a multiple of 16
/// @return cudaSuccess, or the launch error; cudaErrorInvalidValue for another mix or number of loads
extern "C" cudaError_t ladder_peak_launch(int mix, int loads, int threads, void* out, const void* a,
                                          const void* b, long long bytes) {
  auto* to = static_cast<int4*>(out);
  const auto* first = static_cast<const int4*>(a);
  const auto* second = static_cast<const int4*>(b);
  switch (loads) {
    case 1:
      return launch<1>(mix, threads, to, first, second, bytes / 16);
    case 2:
      return launch<2>(mix, threads, to, first, second, bytes / 16);
    case 4:
      return launch<4>(mix, threads, to, first, second, bytes / 16);
    case 8:
      return launch<8>(mix, threads, to, first, second, bytes / 16);
    default:
      return cudaErrorInvalidValue;
  }
}
