// Copies, frees and leaks: what host code does wrong.
#include "../case.h"

__global__ void fill(int* out) { out[threadIdx.x] = 1; }

__device__ int table[16];

// expect: memcpy
// wrong: 64 ints are allocated, 65 are copied to them.
// cure:  the size of the smaller side.
CASE(copy_to_beyond_the_allocation) {
  Buffer<int> data(64);
  std::vector<int> values(65);
  cudaMemcpy(data, values.data(), 65 * sizeof(int), cudaMemcpyHostToDevice);  // <- memcpy
}

// expect: memcpy
// wrong: the copy back reads beyond the device's buffer.
// cure:  the size of the smaller side.
CASE(copy_from_beyond_the_allocation) {
  Buffer<int> data(64);
  std::vector<int> values(4096);
  cudaMemcpy(values.data(), data, values.size() * sizeof(int), cudaMemcpyDeviceToHost);  // <- memcpy
}

// expect: memcpy
// wrong: the kind says device to host; the destination is on the device.
// cure:  cudaMemcpyHostToDevice, or cudaMemcpyDefault.
CASE(copy_in_the_wrong_direction) {
  Buffer<int> data(64);
  std::vector<int> values(64);
  cudaMemcpy(data, values.data(), 64 * sizeof(int), cudaMemcpyDeviceToHost);  // <- memcpy
}

// expect: memcpy
// wrong: cudaMemset() counts bytes; this is four times the allocation.
// cure:  64 * sizeof(int).
CASE(memset_beyond_the_allocation) {
  Buffer<int> data(64);
  cudaMemset(data, 0, 64 * sizeof(int) * sizeof(int));  // <- memcpy
}

// expect: memcpy
// wrong: the table has 16 elements.
// cure:  sizeof table.
CASE(copy_beyond_a_symbol) {
  const int values[20] = {};
  cudaMemcpyToSymbol(table, values, sizeof values);  // <- memcpy
}

// expect: memcpy
// wrong: the arguments are swapped: source pitch and width exceed what is allocated.
// cure:  rows of 40 bytes, 8 of them.
CASE(rows_and_columns_of_a_copy_swapped) {
  int* data = nullptr;
  std::size_t pitch = 0;
  cudaMallocPitch(&data, &pitch, 10 * sizeof(int), 8);
  std::vector<int> values(1024);
  cudaMemcpy2D(values.data(), 80, data, pitch, 8 * sizeof(int), 10, cudaMemcpyDeviceToHost);  // <- memcpy
  cudaFree(data);
}

// expect: free
// wrong: freed twice.
// cure:  set the pointer to null after freeing it.
CASE(freed_twice) {
  int* data = nullptr;
  cudaMalloc(&data, 256);
  fill<<<1, 32>>>(data);
  finish();
  cudaFree(data);
  cudaFree(data);  // <- free
}

// expect: free
// wrong: the pointer has been moved on since it was allocated.
// cure:  free what cudaMalloc() gave.
CASE(pointer_into_the_middle) {
  int* data = nullptr;
  cudaMalloc(&data, 256);
  fill<<<1, 32>>>(data);
  finish();
  cudaFree(data + 4);  // <- free
  cudaFree(data);
}

// expect: free
// wrong: the memory came from new.
// cure:  delete[].
CASE(host_memory_given_to_cuda_free) {
  int* values = new int[64]();
  cudaFree(values);  // <- free
  delete[] values;
}

// expect: free
// wrong: page-locked host memory has a free of its own.
// cure:  cudaFreeHost().
CASE(pinned_memory_given_to_cuda_free) {
  int* values = nullptr;
  cudaMallocHost(&values, 256);
  cudaFree(values);  // <- free
  cudaFreeHost(values);
}

// expect: free
// wrong: device memory given to the free of page-locked host memory.
// cure:  cudaFree().
CASE(device_memory_given_to_cuda_free_host) {
  int* data = nullptr;
  cudaMalloc(&data, 256);
  cudaFreeHost(data);  // <- free
  cudaFree(data);
}

// expect: free
// wrong: the stream has freed the buffer already.
// cure:  one of the two.
CASE(freed_by_the_stream_and_again) {
  int* data = nullptr;
  cudaMallocAsync(&data, 256, nullptr);
  cudaFreeAsync(data, nullptr);
  cudaStreamSynchronize(nullptr);
  cudaFree(data);  // <- free
}

// expect: leak
// wrong: never freed.
// cure:  cudaFree() at the end.
CASE(never_freed) {
  int* data = nullptr;
  cudaMalloc(&data, 256);  // <- leak
  fill<<<1, 32>>>(data);
  finish();
}

// expect: leak
// wrong: the loop allocates three times, and what follows frees once.
// cure:  free inside the loop.
CASE(allocated_in_a_loop) {
  int* data = nullptr;
  for (int step = 0; step < 3; ++step) {
    cudaMalloc(&data, 256);  // <- leak
    fill<<<1, 32>>>(data);
  }
  finish();
  cudaFree(data);
}

// expect: leak
// wrong: the way out for bad input forgets the buffer.
// cure:  an owner that frees in its destructor.
static bool compute(int n) {
  int* data = nullptr;
  cudaMalloc(&data, 256);  // <- leak
  if (n > 32) return false;
  fill<<<1, n>>>(data);
  finish();
  cudaFree(data);
  return true;
}
CASE(early_way_out) { compute(64); }
