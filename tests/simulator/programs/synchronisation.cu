// arch: 90
// libcu++: barrier, pipeline, latch, semaphore, atomic, atomic_ref, annotated_ptr, memcpy_async.
#include <cooperative_groups.h>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include "program.h"

using Block = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void pipelined(int* out, const int* in, int tiles) {
  constexpr int kStages = 2;
  __shared__ int stage[kStages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto group = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(group, &state);
  for (int t = 0, ahead = 0; t < tiles; ++t) {
    for (; ahead < tiles && ahead < t + kStages; ++ahead) {
      pipe.producer_acquire();
      cuda::memcpy_async(group, stage[ahead % kStages], in + 128 * ahead, sizeof(int) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[128 * t + threadIdx.x] = 2 * stage[t % kStages][threadIdx.x ^ 1];
    pipe.consumer_release();
  }
}

__global__ void private_pipe(int* out, const int* in) {
  __shared__ int stage[128];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(stage + threadIdx.x, in + threadIdx.x, cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  pipe.consumer_release();
  out[threadIdx.x] = stage[threadIdx.x] + 1;
}

__global__ void barriers(int* out, const int* in) {
  __shared__ Block ready;
  __shared__ int stage[128];
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(stage + threadIdx.x, in + threadIdx.x, sizeof(int), ready);
  Block::arrival_token token = ready.arrive();
  ready.wait(std::move(token));
  out[threadIdx.x] = stage[127 - threadIdx.x];
  ready.arrive_and_wait();
  if (threadIdx.x < 64)
    ready.arrive_and_drop();
  else
    ready.arrive_and_wait();
}

/// Words that threads of all blocks change together.
struct Shared {
  cuda::atomic<int, cuda::thread_scope_device> count, turn;
  cuda::std::atomic<unsigned long long> largest;
  cuda::std::atomic_flag locked;
  int protected_by_lock, plain;
  double sum;
};

__global__ void atomics(Shared* s) {
  s->count.fetch_add(1, cuda::memory_order_relaxed);
  unsigned long long seen = s->largest.load();
  const unsigned long long mine = threadIdx.x * 1000ull + blockIdx.x;
  while (seen < mine && !s->largest.compare_exchange_weak(seen, mine)) {
  }
  cuda::atomic_ref<int, cuda::thread_scope_device>(s->plain).fetch_max(int(threadIdx.x));
  cuda::atomic_ref<double, cuda::thread_scope_device>(s->sum).fetch_add(0.5);
  if (threadIdx.x == 0) {
    while (s->locked.test_and_set(cuda::std::memory_order_acquire)) {
    }
    ++s->protected_by_lock;
    s->locked.clear(cuda::std::memory_order_release);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    s->turn.fetch_add(1);
    s->turn.notify_all();
  }
}

__global__ void latches(int* out) {
  using Latch = cuda::latch<cuda::thread_scope_block>;
  using Places = cuda::counting_semaphore<cuda::thread_scope_block, 4>;
  __shared__ alignas(Latch) unsigned char latch_bytes[sizeof(Latch)];
  __shared__ alignas(Places) unsigned char place_bytes[sizeof(Places)];
  Latch& all_wrote = reinterpret_cast<Latch&>(latch_bytes);
  Places& places = reinterpret_cast<Places&>(place_bytes);
  __shared__ int values[64];
  if (threadIdx.x == 0) {
    new (&all_wrote) Latch(blockDim.x);
    new (&places) Places(4);
  }
  __syncthreads();
  values[threadIdx.x] = threadIdx.x * threadIdx.x;
  all_wrote.arrive_and_wait();
  places.acquire();
  out[threadIdx.x] = values[63 - threadIdx.x];
  places.release();
}

__global__ void annotated(float* out, const float* in) {
  cuda::annotated_ptr<const float, cuda::access_property::persisting> kept(in);
  cuda::annotated_ptr<float, cuda::access_property::streaming> passing(out);
  passing[threadIdx.x] = kept[threadIdx.x] * 3;
}

extern "C" bool check() {
  std::vector<int> in(1024);
  for (int i = 0; i < 1024; ++i) in[i] = i * 7;
  int *d_in = to_device(in), *d_out = to_device(std::vector<int>(1024));
  pipelined<<<1, 128>>>(d_out, d_in, 8);
  CUDA_OK(cudaDeviceSynchronize());
  std::vector<int> out = to_host(d_out, 1024);
  for (int i = 0; i < 1024; ++i) EXPECT(out[i] == 2 * in[i ^ 1]);
  private_pipe<<<1, 128>>>(d_out, d_in);
  CUDA_OK(cudaDeviceSynchronize());
  out = to_host(d_out, 128);
  for (int i = 0; i < 128; ++i) EXPECT(out[i] == in[i] + 1);
  barriers<<<1, 128>>>(d_out, d_in);
  CUDA_OK(cudaDeviceSynchronize());
  out = to_host(d_out, 128);
  for (int i = 0; i < 128; ++i) EXPECT(out[i] == in[127 - i]);
  Shared* s = nullptr;
  CUDA_OK(cudaMalloc(&s, sizeof(Shared)));
  CUDA_OK(cudaMemset(s, 0, sizeof(Shared)));
  atomics<<<5, 64>>>(s);
  CUDA_OK(cudaDeviceSynchronize());
  alignas(Shared) unsigned char bytes[sizeof(Shared)];
  CUDA_OK(cudaMemcpy(bytes, s, sizeof(Shared), cudaMemcpyDeviceToHost));
  const Shared& got = *reinterpret_cast<const Shared*>(bytes);
  EXPECT(got.count.load() == 320 && got.turn.load() == 5 && got.largest.load() == 63004);
  EXPECT(got.protected_by_lock == 5 && got.plain == 63 && got.sum == 160);
  latches<<<1, 64>>>(d_out);
  CUDA_OK(cudaDeviceSynchronize());
  out = to_host(d_out, 64);
  for (int i = 0; i < 64; ++i) EXPECT(out[i] == (63 - i) * (63 - i));
  float *f_in = to_device(std::vector<float>(32, 1.5f)), *f_out = to_device(std::vector<float>(32));
  annotated<<<1, 32>>>(f_out, f_in);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(to_host(f_out, 32)[31] == 4.5f);
  for (void* p : {(void*)d_in, (void*)d_out, (void*)s, (void*)f_in, (void*)f_out}) CUDA_OK(cudaFree(p));
  return true;
}
