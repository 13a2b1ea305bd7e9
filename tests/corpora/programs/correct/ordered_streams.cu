// Correct: streams that are ordered, or touch different memory.
#include "../case.h"

__global__ void add_one(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void twice(int* out, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}

struct Streams {
  cudaStream_t s[3];
  explicit Streams(unsigned flags = cudaStreamNonBlocking) {
    for (auto& stream : s) cudaStreamCreateWithFlags(&stream, flags);
  }
  ~Streams() {
    for (auto& stream : s) cudaStreamDestroy(stream);
  }
  cudaStream_t operator[](int i) const { return s[i]; }
};

// Each stream works on its own part of one buffer.
CASE(parts_of_one_buffer) {
  Buffer<int> a(192, 1), out(192);
  Streams s;
  for (int k = 0; k < 3; ++k) {
    add_one<<<2, 32, 0, s[k]>>>(a + 64 * k);
    twice<<<2, 32, 0, s[k]>>>(out + 64 * k, a + 64 * k);
  }
  finish();
  CHECK_THAT(out.host()[191] == 4);
}

// Copies and kernels in chunks, each chunk on its stream; one synchronisation at the end.
CASE(chunks_with_copies) {
  Buffer<int> a(192), out(192);
  Streams s;
  int *from = nullptr, *to = nullptr;
  cudaMallocHost(&from, 768);
  cudaMallocHost(&to, 768);
  for (int i = 0; i < 192; ++i) from[i] = i;
  for (int k = 0; k < 3; ++k) {
    cudaMemcpyAsync(a + 64 * k, from + 64 * k, 256, cudaMemcpyHostToDevice, s[k]);
    twice<<<2, 32, 0, s[k]>>>(out + 64 * k, a + 64 * k);
    cudaMemcpyAsync(to + 64 * k, out + 64 * k, 256, cudaMemcpyDeviceToHost, s[k]);
  }
  cudaDeviceSynchronize();
  CHECK_THAT(to[191] == 382);
  cudaFreeHost(from);
  cudaFreeHost(to);
}

// Two readers of one buffer.
CASE(two_streams_read) {
  Buffer<int> in(64, 1), a(64), b(64);
  Streams s;
  twice<<<2, 32, 0, s[0]>>>(a, in);
  twice<<<2, 32, 0, s[1]>>>(b, in);
  finish();
  CHECK_THAT(a.host()[5] + b.host()[6] == 4);
}

// Blocking streams wait for the default stream and it for them.
CASE(default_stream_orders_blocking_ones) {
  Buffer<int> a(64), out(64);
  Streams s(cudaStreamDefault);
  add_one<<<2, 32, 0, s[0]>>>(a);
  add_one<<<2, 32>>>(a);
  twice<<<2, 32, 0, s[1]>>>(out, a);
  finish();
  CHECK_THAT(out.host()[3] == 4);
}

// The host waits for the first stream before it starts the second.
CASE(host_waits_between) {
  Buffer<int> a(64), out(64);
  Streams s;
  add_one<<<2, 32, 0, s[0]>>>(a);
  cudaStreamSynchronize(s[0]);
  twice<<<2, 32, 0, s[1]>>>(out, a);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(done, s[1]);
  cudaEventSynchronize(done);
  add_one<<<2, 32, 0, s[2]>>>(out);
  finish();
  CHECK_THAT(out.host()[3] == 3);
  cudaEventDestroy(done);
}

// A fork and a join by events, through a third stream.
CASE(fork_and_join) {
  Buffer<int> a(64), b(64), c(64);
  Streams s;
  cudaEvent_t fork, left, right;
  cudaEventCreate(&fork);
  cudaEventCreate(&left);
  cudaEventCreate(&right);
  for (int k = 0; k < 3; ++k) {
    add_one<<<2, 32, 0, s[0]>>>(a);
    cudaEventRecord(fork, s[0]);
    cudaStreamWaitEvent(s[1], fork, 0);
    cudaStreamWaitEvent(s[2], fork, 0);
    twice<<<2, 32, 0, s[1]>>>(b, a);
    twice<<<2, 32, 0, s[2]>>>(c, a);
    cudaEventRecord(left, s[1]);
    cudaEventRecord(right, s[2]);
    cudaStreamWaitEvent(s[0], left, 0);
    cudaStreamWaitEvent(s[0], right, 0);
    twice<<<2, 32, 0, s[0]>>>(a, b);
  }
  finish();
  CHECK_THAT(a.host()[0] == 84);
  cudaEventDestroy(fork);
  cudaEventDestroy(left);
  cudaEventDestroy(right);
}

// The host looks until the event has happened.
CASE(event_query_in_a_loop) {
  int* a = nullptr;
  cudaMallocManaged(&a, 256);
  for (int i = 0; i < 64; ++i) a[i] = 0;
  cudaEvent_t done;
  cudaEventCreate(&done);
  add_one<<<2, 32>>>(a);
  cudaEventRecord(done);
  while (cudaEventQuery(done) == cudaErrorNotReady) {
  }
  CHECK_THAT(a[63] == 1);
  cudaEventDestroy(done);
  cudaFree(a);
}

// Allocated, used and freed in the order of one stream; the next stream waits.
CASE(pool_memory_passed_on) {
  Buffer<int> out(64);
  Streams s;
  cudaEvent_t ready;
  cudaEventCreate(&ready);
  int* a = nullptr;
  cudaMallocAsync(&a, 256, s[0]);
  cudaMemsetAsync(a, 0, 256, s[0]);
  cudaEventRecord(ready, s[0]);
  cudaStreamWaitEvent(s[1], ready, 0);
  twice<<<2, 32, 0, s[1]>>>(out, a);
  cudaFreeAsync(a, s[1]);
  finish();
  CHECK_THAT(out.host()[0] == 0);
  cudaEventDestroy(ready);
}

// Managed memory that the host touches before the launch and after the stream's end; another part meanwhile.
CASE(managed_memory_of_two_kinds) {
  int *a = nullptr, *b = nullptr;
  cudaMallocManaged(&a, 256);
  cudaMallocManaged(&b, 256);
  for (int i = 0; i < 64; ++i) a[i] = b[i] = i;
  Streams s;
  add_one<<<2, 32, 0, s[0]>>>(a);
  for (int i = 0; i < 64; ++i) b[i] += 1;  // no kernel knows of b
  cudaStreamSynchronize(s[0]);
  CHECK_THAT(a[63] == 64 && b[63] == 64);
  cudaFree(a);
  cudaFree(b);
}

// A synchronous copy waits for the legacy default stream.
CASE(copy_back_without_a_synchronisation) {
  Buffer<int> a(64);
  add_one<<<2, 32>>>(a);
  int host[64];
  cudaMemcpy(host, a, 256, cudaMemcpyDeviceToHost);
  CHECK_THAT(host[63] == 1);
}

// A graph captured from two streams keeps their events' order.
CASE(captured_fork_and_join) {
  Buffer<int> a(64), b(64);
  Streams s;
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
  add_one<<<2, 32, 0, s[0]>>>(a);
  cudaEventRecord(fork, s[0]);
  cudaStreamWaitEvent(s[1], fork, 0);
  twice<<<2, 32, 0, s[1]>>>(b, a);
  cudaEventRecord(join, s[1]);
  cudaStreamWaitEvent(s[0], join, 0);
  add_one<<<2, 32, 0, s[0]>>>(b);
  cudaGraph_t graph;
  cudaStreamEndCapture(s[0], &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s[2]);
  cudaGraphLaunch(exec, s[2]);
  cudaStreamSynchronize(s[2]);
  CHECK_THAT(b.host()[0] == 5);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
}
