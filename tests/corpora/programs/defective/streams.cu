// Work on different streams, and the host beside it, with nothing that orders them.
#include "../case.h"

__global__ void add_one(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void twice(int* out, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}

struct Streams {
  cudaStream_t first, second;
  Streams() {
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  }
  ~Streams() {
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
  }
};

// expect: race global
// wrong: the second stream does not wait for the first.
// cure:  an event, or one stream.
CASE(two_kernels_on_two_streams) {
  Buffer<int> a(64), out(64);
  Streams s;
  add_one<<<2, 32, 0, s.first>>>(a);      // <- race
  twice<<<2, 32, 0, s.second>>>(out, a);  // <- race
  finish();
}

// expect: race global
// wrong: the copy is on another stream than the kernel that uses it.
// cure:  the same stream for both.
CASE(copy_and_kernel_on_two_streams) {
  Buffer<int> a(64), out(64);
  Streams s;
  int* host = nullptr;
  cudaMallocHost(&host, 256);
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMemcpyAsync(a, host, 256, cudaMemcpyHostToDevice, s.first);  // <- race
  twice<<<2, 32, 0, s.second>>>(out, a);                           // <- race
  finish();
  cudaFreeHost(host);
}

// expect: race global
// wrong: the event is recorded before the kernel it should follow.
// cure:  record it after the launch.
CASE(event_recorded_too_early) {
  Buffer<int> a(64), out(64);
  Streams s;
  cudaEvent_t written;
  cudaEventCreate(&written);
  cudaEventRecord(written, s.first);
  add_one<<<2, 32, 0, s.first>>>(a);  // <- race
  cudaStreamWaitEvent(s.second, written, 0);
  twice<<<2, 32, 0, s.second>>>(out, a);  // <- race
  finish();
  cudaEventDestroy(written);
}

// expect: race global
// wrong: a stream that does not block and the default stream do not wait for each other.
// cure:  cudaStreamSynchronize before the launch on the default stream.
CASE(default_stream_beside_a_nonblocking_one) {
  Buffer<int> a(64), out(64);
  Streams s;
  add_one<<<2, 32, 0, s.first>>>(a);  // <- race
  twice<<<2, 32>>>(out, a);           // <- race
  finish();
}

// expect: race global
// wrong: the host reads managed memory while the kernel may still write it.
// cure:  cudaDeviceSynchronize() before the read.
CASE(managed_memory_read_too_early) {
  int* a = nullptr;
  cudaMallocManaged(&a, 256);
  for (int i = 0; i < 64; ++i) a[i] = i;
  add_one<<<2, 32>>>(a);   // <- race
  const int first = a[0];  // <- race
  finish();
  std::printf("%d\n", first);
  cudaFree(a);
}

// expect: race global
// wrong: the host writes the next input while the kernel may still read the last.
// cure:  cudaDeviceSynchronize() before the write.
CASE(managed_memory_written_too_early) {
  int* a = nullptr;
  cudaMallocManaged(&a, 256);
  for (int i = 0; i < 64; ++i) a[i] = i;
  Buffer<int> out(64);
  twice<<<2, 32>>>(out, a);               // <- race
  for (int i = 0; i < 64; ++i) a[i] = 1;  // <- race
  finish();
  cudaFree(a);
}

// expect: race global
// wrong: the memory is freed while a kernel on another stream may use it.
// cure:  synchronise, or free on the same stream.
CASE(freed_on_another_stream) {
  Streams s;
  int* a = nullptr;
  cudaMallocAsync(&a, 256, s.first);
  cudaMemsetAsync(a, 0, 256, s.first);
  cudaStreamSynchronize(s.first);
  add_one<<<2, 32, 0, s.first>>>(a);  // <- race
  cudaFreeAsync(a, s.second);         // <- race
  finish();
}

// expect: race global
// wrong: the copy to the host does not wait for the kernel on the other stream.
// cure:  the kernel's stream for the copy.
CASE(copy_back_on_another_stream) {
  Buffer<int> a(64);
  Streams s;
  int* host = nullptr;
  cudaMallocHost(&host, 256);
  add_one<<<2, 32, 0, s.first>>>(a);                                // <- race
  cudaMemcpyAsync(host, a, 256, cudaMemcpyDeviceToHost, s.second);  // <- race
  finish();
  cudaFreeHost(host);
}

// expect: race global
// wrong: both streams write the same buffer.
// cure:  a buffer for each stream.
CASE(scratch_shared_by_two_streams) {
  Buffer<int> in(64, 0, 1), scratch(64);
  Streams s;
  twice<<<2, 32, 0, s.first>>>(scratch, in);   // <- race
  twice<<<2, 32, 0, s.second>>>(scratch, in);  // <- race
  finish();
}
