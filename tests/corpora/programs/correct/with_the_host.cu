// Kernels and the host at the same time on memory of both, ordered by flags and atomics: nothing is wrong
// here.
#include <atomic>
#include <thread>

#include "../case.h"

namespace {

using Word = volatile int*;

/// Memory of both sides, zeroed.
template <class T>
T* shared_by_both(std::size_t n) {
  T* memory = nullptr;
  cudaMallocManaged(&memory, n * sizeof(T));
  std::memset(memory, 0, n * sizeof(T));
  cudaDeviceSynchronize();
  return memory;
}

__global__ void count_all(int* counters) {
  atomicAdd_system(&counters[0], 1);
  atomicMax_system(&counters[1], int(threadIdx.x));
}

__global__ void work_in_steps(Word progress, int* out) {
  for (int i = 0; i < 50; ++i) {
    out[i] = i * i;
    __threadfence_system();
    *progress = i + 1;
  }
}

__global__ void wait_for(Word flag, int* out) {
  while (*flag == 0) {
  }
  __threadfence_system();
  out[threadIdx.x] = 5;
}

__global__ void set(Word flag) { *flag = 1; }

__global__ void fill(int* out, int value) { out[threadIdx.x] = value; }

}  // namespace

// Kernel and host count on the same words, both by atomics of the whole system.
CASE(atomics_of_both_sides) {
  int* counters = shared_by_both<int>(2);
  count_all<<<4, 64>>>(counters);
  for (int i = 0; i < 100; ++i) __sync_fetch_and_add(&counters[0], 1);
  cudaDeviceSynchronize();
  CHECK_THAT(counters[0] == 356 && counters[1] == 63);
  cudaFree(counters);
}

// The host follows how far the kernel is, and takes what is done.
CASE(progress_is_followed) {
  int* progress = nullptr;
  int* out = nullptr;
  cudaHostAlloc(&progress, 4, cudaHostAllocMapped);
  cudaHostAlloc(&out, 4096 * 2, cudaHostAllocMapped);
  *progress = 0;
  work_in_steps<<<1, 1>>>(progress, out);
  while (*Word(progress) < 50) {
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  cudaDeviceSynchronize();
  CHECK_THAT(out[49] == 49 * 49);
  cudaFreeHost(progress);
  cudaFreeHost(out);
}

// The kernel waits for the host.
CASE(latch_of_the_host) {
  int* flag = shared_by_both<int>(1);
  Buffer<int> out(32);
  wait_for<<<1, 32>>>(flag, out);
  *Word(flag) = 1;
  cudaDeviceSynchronize();
  CHECK_THAT(out.host()[31] == 5);
  cudaFree(flag);
}

// A kernel waits for one on another stream.
CASE(one_stream_waits_for_another) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  Buffer<int> flag(1), out(32);
  // A kernel is loaded at its first use, and loading waits for what runs: without this an H200 hangs.
  cudaFuncAttributes loaded;
  cudaFuncGetAttributes(&loaded, set);
  wait_for<<<1, 32, 0, first>>>(flag, out);
  set<<<1, 1, 0, second>>>(flag);
  cudaStreamSynchronize(first);
  CHECK_THAT(out.host()[0] == 5);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

// The one that is waited for was launched before, so it is loaded.
CASE(waits_for_a_kernel_that_ran_before) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  Buffer<int> flag(2), out(32);
  set<<<1, 1>>>(flag + 1);
  cudaDeviceSynchronize();
  wait_for<<<1, 32, 0, first>>>(flag, out);
  set<<<1, 1, 0, second>>>(flag);
  cudaStreamSynchronize(first);
  CHECK_THAT(out.host()[0] == 5);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

// A function of the stream tells another thread of the host that the copy before it is done.
CASE(callback_hands_on) {
  int* host = nullptr;
  cudaMallocHost(&host, 4096);
  Buffer<int> device(1024);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  static std::atomic<bool> done;
  done = false;
  int first = 0;
  std::thread reader([&] {
    while (!done.load()) std::this_thread::yield();
    first = host[0];
  });
  fill<<<1, 32, 0, stream>>>(device, 9);
  cudaMemcpyAsync(host, device, 4096, cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(
      stream, [](void*) { done = true; }, nullptr);
  reader.join();
  CHECK_THAT(first == 9);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
}
