// Kernels that wait for what the host, or another stream, does after their launch.
#include <chrono>
#include <thread>

#include "program.h"

namespace {

using Word = volatile int*;

__global__ void wait_and_copy(Word latch, int* out, int value) {
  while (*latch == 0) {
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add_one(int* out) { *out += 1; }

__global__ void set(Word latch) { *latch = 1; }

/// Answers each of the host's numbers with its double, until it reads -1.
__global__ void answer(Word question, Word reply) {
  for (int last = 0;;) {
    const int asked = *question;
    if (asked == last) continue;
    if (asked < 0) return;
    *reply = 2 * asked;
    __threadfence_system();
    last = asked;
  }
}

/// The host writes the latch; what the stream was given after the kernel comes after it.
bool latch(bool managed) {
  int *word, *out, host[64] = {};
  CUDA_OK(managed ? cudaMallocManaged(&word, 4) : cudaMallocHost(&word, 4));
  CUDA_OK(cudaMalloc(&out, sizeof host));
  CUDA_OK(cudaMemset(out, 0, sizeof host));
  *word = 0;
  cudaEvent_t before, after;
  CUDA_OK(cudaEventCreate(&before));
  CUDA_OK(cudaEventCreate(&after));
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaEventRecord(before));
  wait_and_copy<<<2, 32>>>(word, out, 41);
  add_one<<<1, 1>>>(out);
  CUDA_OK(cudaEventRecord(after));
  EXPECT(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  EXPECT(cudaEventQuery(after) == cudaErrorNotReady);
  float ms = 0;
  EXPECT(cudaEventElapsedTime(&ms, before, after) == cudaErrorNotReady);
  *Word(word) = 1;
  CUDA_OK(cudaEventSynchronize(after));
  CUDA_OK(cudaEventElapsedTime(&ms, before, after));
  EXPECT(ms > 0);
  CUDA_OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 42 && host[1] == 41 && host[63] == 41);
  CUDA_OK(cudaEventDestroy(before));
  CUDA_OK(cudaEventDestroy(after));
  CUDA_OK(cudaFree(out));
  CUDA_OK(managed ? cudaFree(word) : cudaFreeHost(word));
  return true;
}

/// Host and kernel answer each other, without a call between.
bool ping_pong() {
  int *question, *reply;
  CUDA_OK(cudaHostAlloc(&question, 4, cudaHostAllocMapped));
  CUDA_OK(cudaHostAlloc(&reply, 4, cudaHostAllocMapped));
  *question = *reply = 0;
  answer<<<1, 1>>>(question, reply);
  for (int i = 1; i <= 20; ++i) {
    *Word(question) = i;
    while (*Word(reply) != 2 * i) {
    }
  }
  *Word(question) = -1;
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaFreeHost(question));
  CUDA_OK(cudaFreeHost(reply));
  return true;
}

/// A kernel of one stream waits for a copy and a kernel of others; a third stream waits for its event.
bool other_streams() {
  cudaStream_t streams[3];
  for (auto& stream : streams) CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t done;
  CUDA_OK(cudaEventCreate(&done));
  int *latches, *out, host = 0;
  CUDA_OK(cudaMalloc(&latches, 8));
  CUDA_OK(cudaMalloc(&out, 4));
  CUDA_OK(cudaMemset(latches, 0, 8));
  CUDA_OK(cudaMemset(out, 0, 4));
  CUDA_OK(cudaDeviceSynchronize());
  wait_and_copy<<<1, 1, 0, streams[0]>>>(latches, out, 10);
  wait_and_copy<<<1, 1, 0, streams[0]>>>(latches + 1, out, 20);
  CUDA_OK(cudaEventRecord(done, streams[0]));
  CUDA_OK(cudaStreamWaitEvent(streams[2], done, 0));
  add_one<<<1, 1, 0, streams[2]>>>(out);
  CUDA_OK(cudaMemcpyAsync(&host, out, 4, cudaMemcpyDeviceToHost, streams[1]));
  EXPECT(host == 0);
  const int one = 1;
  CUDA_OK(cudaMemcpyAsync(latches, &one, 4, cudaMemcpyHostToDevice, streams[1]));
  set<<<1, 1, 0, streams[1]>>>(latches + 1);
  CUDA_OK(cudaStreamDestroy(streams[0]));  // its work is done nevertheless
  CUDA_OK(cudaMemcpyAsync(&host, out, 4, cudaMemcpyDeviceToHost, streams[2]));
  CUDA_OK(cudaStreamSynchronize(streams[2]));
  EXPECT(host == 21);
  for (int i = 1; i < 3; ++i) CUDA_OK(cudaStreamDestroy(streams[i]));
  CUDA_OK(cudaEventDestroy(done));
  CUDA_OK(cudaFree(latches));
  CUDA_OK(cudaFree(out));
  return true;
}

/// A graph of which one kernel waits, launched twice; the source of a copy behind it may change at once.
bool graph() {
  int *word, *out, host = 0, added = 5;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_OK(cudaMallocHost(&word, 4));
  CUDA_OK(cudaMalloc(&out, 8));
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  wait_and_copy<<<1, 1, 0, stream>>>(word, out, 30);
  add_one<<<1, 1, 0, stream>>>(out);
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  *word = 0;
  CUDA_OK(cudaGraphLaunch(executable, stream));
  CUDA_OK(cudaGraphLaunch(executable, stream));
  add_one<<<1, 1, 0, stream>>>(out);
  CUDA_OK(cudaMemcpyAsync(out + 1, &added, 4, cudaMemcpyHostToDevice, stream));
  added = 6;
  CUDA_OK(cudaGraphExecDestroy(executable));
  int called = 0;
  CUDA_OK(cudaLaunchHostFunc(
      stream, [](void* n) { ++*static_cast<int*>(n); }, &called));
  EXPECT(called == 0);
  *Word(word) = 1;
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT(called == 1);
  CUDA_OK(cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost));
  EXPECT(host == 32);
  CUDA_OK(cudaMemcpy(&host, out + 1, 4, cudaMemcpyDeviceToHost));
  EXPECT(host == 5);
  CUDA_OK(cudaGraphDestroy(graph));
  CUDA_OK(cudaStreamDestroy(stream));
  CUDA_OK(cudaFreeHost(word));
  CUDA_OK(cudaFree(out));
  return true;
}

/// Another thread of the host writes, while the first one waits.
bool second_thread() {
  int *word, *out;
  CUDA_OK(cudaMallocManaged(&word, 4));
  CUDA_OK(cudaMallocManaged(&out, 4));
  *word = 0;
  wait_and_copy<<<1, 1>>>(word, out, 7);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    *Word(word) = 1;
  });
  const cudaError_t waited = cudaDeviceSynchronize();
  other.join();
  CUDA_OK(waited);
  EXPECT(*out == 7);
  CUDA_OK(cudaFree(word));
  CUDA_OK(cudaFree(out));
  return true;
}

}  // namespace

extern "C" bool check() {
  // A GPU loads a kernel at its first use, and loading waits for the kernels that run: for those that wait
  // here.
  cudaFuncAttributes loaded;
  CUDA_OK(cudaFuncGetAttributes(&loaded, set));
  CUDA_OK(cudaFuncGetAttributes(&loaded, add_one));
  return latch(false) && latch(true) && ping_pong() && other_streams() && graph() && second_thread();
}
