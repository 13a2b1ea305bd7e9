// Memory used after it was given back.
#include "../case.h"

// expect: use-after-free global
// wrong: the buffer was freed before the kernel that reads it.
// cure:  free after the last use.
__global__ void copy(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // <- use-after-free
}
CASE(kernel_after_free) {
  Buffer<int> out(64);
  int* in = nullptr;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMemset(in, 1, 64 * sizeof(int));
  cudaFree(in);
  copy<<<1, 64>>>(out, in);
  finish();
}

// expect: use-after-free global
// wrong: the stream frees the buffer first and runs the kernel then.
// cure:  cudaFreeAsync() after the launch.
__global__ void fill(int* out) {
  out[threadIdx.x] = 1;  // <- use-after-free
}
CASE(kernel_after_asynchronous_free) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* out = nullptr;
  cudaMallocAsync(&out, 64 * sizeof(int), stream);
  cudaFreeAsync(out, stream);
  fill<<<1, 64, 0, stream>>>(out);
  finish();
  cudaStreamDestroy(stream);
}

struct List {
  int* values;
  int count;
};

// expect: use-after-free global
// wrong: the buffer has grown and moved; the struct still holds the old address.
// cure:  set list.values after the move.
__global__ void sum(int* out, List list) {
  int total = 0;
  for (int i = 0; i < list.count; ++i) total += list.values[i];  // <- use-after-free
  *out = total;
}
CASE(pointer_kept_in_a_struct) {
  Buffer<int> out(1);
  List list{nullptr, 16};
  cudaMalloc(&list.values, 16 * sizeof(int));
  cudaMemset(list.values, 0, 16 * sizeof(int));
  int* larger = nullptr;
  cudaMalloc(&larger, 32 * sizeof(int));
  cudaMemcpy(larger, list.values, 16 * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaFree(list.values);
  sum<<<1, 1>>>(out, list);
  finish();
  cudaFree(larger);
}

// expect: use-after-free|memcpy
// wrong: the result is copied out of memory that has been freed already.
// cure:  copy, then free.
__global__ void square(int* out) { out[threadIdx.x] = threadIdx.x * threadIdx.x; }
CASE(copy_after_free) {
  int* out = nullptr;
  int result[32];
  cudaMalloc(&out, sizeof result);
  square<<<1, 32>>>(out);
  finish();
  cudaFree(out);
  cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);  // <- memcpy
}
