// arch: 90
// <cuda/ptx>, the pipeline and awbarrier primitives, warp intrinsics, curand's device generators.
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>
#include <cuda/ptx>
#include <cuda/warp>
#if __has_include(<curand_kernel.h>)  // not among the packages of a bare compiler
#include <curand_kernel.h>
#define HAS_CURAND
#endif

#include "program.h"

namespace ptx = cuda::ptx;

__global__ void registers(unsigned* out) {
  unsigned* to = out + 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  to[0] = ptx::get_sreg_tid_x();
  to[1] = ptx::get_sreg_ctaid_x();
  to[2] = ptx::get_sreg_laneid();
  to[3] = ptx::get_sreg_ntid_x();
  to[4] = ptx::get_sreg_lanemask_lt();
  to[5] = ptx::get_sreg_nctaid_x();
  to[6] = ptx::shl(1u, threadIdx.x % 8);
  to[7] = ptx::bmsk_clamp(3u, threadIdx.x % 8);
  ptx::fence(ptx::sem_acq_rel, ptx::scope_gpu);
}

__global__ void staged(int* out, const int* in) {
  __shared__ int stage[64];
  __pipeline_memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = stage[threadIdx.x ^ 1];
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
}

/// mbarrier through <cuda/ptx>.
__global__ void barrier(int* out) {
  __shared__ uint64_t bar;
  __shared__ int value;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) value = 17;
  const uint64_t state = ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_test_wait(&bar, state)) {
  }
  out[threadIdx.x] = value;
}

__global__ void intrinsics(unsigned* out) {
  const unsigned lane = threadIdx.x;
  out[lane] = __reduce_add_sync(0xffffffff, lane);
  out[32 + lane] = __match_any_sync(0xffffffff, lane / 4);
  out[64 + lane] = cuda::device::warp_shuffle_xor(lane, 1).data;
  out[96 + lane] = __vadd4(0x01020304u, lane) + __dp4a(0x01010101u, lane, 7u);
  out[128 + lane] = __fns(0xf0f0f0f0u, 0, lane % 16 + 1);
}

#ifdef HAS_CURAND
template <class State>
__global__ void uniform(float* sums, int draws) {
  State state;
  curand_init(1234, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
  float sum = 0;
  for (int i = 0; i < draws; ++i) sum += curand_uniform(&state) + curand_normal(&state);
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum / draws;
}

template <class State>
bool average_is_half() {
  float* sums = to_device(std::vector<float>(256));
  uniform<State><<<4, 64>>>(sums, 64);
  CUDA_OK(cudaDeviceSynchronize());
  double mean = 0;
  for (float s : to_host(sums, 256)) mean += s / 256;
  CUDA_OK(cudaFree(sums));
  EXPECT(mean > 0.46 && mean < 0.54);
  return true;
}

bool check_generators() {
  EXPECT(average_is_half<curandState>());
  EXPECT(average_is_half<curandStatePhilox4_32_10_t>());
  EXPECT(average_is_half<curandStateMRG32k3a>());
  return true;
}
#else
bool check_generators() { return true; }
#endif

extern "C" bool check() {
  unsigned* d_out = to_device(std::vector<unsigned>(8 * 64));
  registers<<<2, 32>>>(d_out);
  CUDA_OK(cudaDeviceSynchronize());
  std::vector<unsigned> out = to_host(d_out, 512);
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned t = i % 32;
    const unsigned expected[8] = {t, i / 32, t, 32, (1u << t) - 1, 2, 1u << t % 8, ((1u << t % 8) - 1) << 3};
    for (int k = 0; k < 8; ++k) EXPECT(out[8 * i + k] == expected[k]);
  }
  int *d_in = to_device(std::vector<int>{0, 1, 2, 3}), *d_int = to_device(std::vector<int>(64));
  CUDA_OK(cudaFree(d_in));
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[i] = 5 * i;
  d_in = to_device(in);
  staged<<<1, 64>>>(d_int, d_in);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) EXPECT(to_host(d_int, 64)[i] == 5 * (i ^ 1));
  barrier<<<1, 64>>>(d_int);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(to_host(d_int, 64)[63] == 17);
  intrinsics<<<1, 32>>>(d_out);
  CUDA_OK(cudaDeviceSynchronize());
  out = to_host(d_out, 160);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT(out[i] == 496 && out[32 + i] == 0xfu << i / 4 * 4 && out[64 + i] == (i ^ 1));
    EXPECT(out[96 + i] == 0x01020304u + i + i + 7);
    EXPECT(out[128 + i] == i % 16 / 4 * 8 + 4 + i % 4);
  }
  EXPECT(check_generators());
  for (void* p : {(void*)d_out, (void*)d_in, (void*)d_int}) CUDA_OK(cudaFree(p));
  return true;
}
