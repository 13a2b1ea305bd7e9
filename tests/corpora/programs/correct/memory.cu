// Correct: undefined bytes that nobody uses, memory of many kinds, and the order that streams and events
// give.
#include "../case.h"

// 1001 floats in an allocation of 1004: the last float4 carries three undefined floats, which are not used.
__global__ void sum_of_vectors(float* out, const float4* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i >= n) return;
  const float4 v = in[i];
  float sum = v.x;
  if (4 * i + 1 < n) sum += v.y;
  if (4 * i + 2 < n) sum += v.z;
  if (4 * i + 3 < n) sum += v.w;
  out[i] = sum;
}
CASE(padding_in_a_vector_load) {
  Buffer<float> out(251);
  std::vector<float> values(1001, 1.0f);
  float4* in = nullptr;
  cudaMalloc(&in, 1004 * sizeof(float));
  cudaMemcpy(in, values.data(), 1001 * sizeof(float), cudaMemcpyHostToDevice);
  sum_of_vectors<<<2, 128>>>(out, in, 1001);
  finish();
  CHECK_THAT(out.host()[249] == 4 && out.host()[250] == 1);
  cudaFree(in);
}

struct Record {
  char tag;  // three bytes of padding follow
  int value;
};

// Whole records are copied, padding and all; only their members are looked at.
__global__ void copy_records(Record* out, int* sum, int n) {
  __shared__ Record s[32];
  const int t = threadIdx.x;
  Record mine;
  mine.tag = 'a';
  mine.value = t;
  s[t] = mine;
  __syncthreads();
  out[t] = s[n - 1 - t];
  if (out[t].tag == 'a') atomicAdd(sum, out[t].value);
}
CASE(padding_of_a_struct) {
  Buffer<int> sum(1);
  Record* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(Record));
  copy_records<<<1, 32>>>(out, sum, 32);
  finish();
  CHECK_THAT(sum.host()[0] == 496);
  cudaFree(out);
}

// Of eight elements three are set, and three are read.
__global__ void part_of_an_array(int* out, const int* in, int used) {
  int a[8];
  for (int k = 0; k < used; ++k) a[k] = in[threadIdx.x] + k;
  int sum = 0;
  for (int k = used - 1; k >= 0; --k) sum += a[k];
  out[threadIdx.x] = sum;
}
CASE(local_array_partly_used) {
  Buffer<int> out(32), in(32, 0, 1);
  part_of_an_array<<<1, 32>>>(out, in, 3);
  finish();
  CHECK_THAT(out.host()[31] == 96);
}

// The pointer goes one past the end, the access does not.
__global__ void walk(int* out, const int* in, int n) {
  int sum = 0;
  for (const int *p = in, *end = in + n; p != end; ++p) sum += *p;
  *out = sum;
}
CASE(pointer_one_past_the_end) {
  Buffer<int> out(1), in(100, 1);
  walk<<<1, 1>>>(out, in, 100);
  finish();
  CHECK_THAT(out.host()[0] == 100);
}

// Two arrays in one piece of dynamic shared memory, the wider type first.
__global__ void two_types(double* out, const float* in) {
  extern __shared__ double memory[];
  float* singles = reinterpret_cast<float*>(memory + 32);
  const int t = threadIdx.x;
  memory[t] = in[t];
  singles[t] = in[t];
  __syncthreads();
  out[t] = memory[31 - t] + singles[t];
}
CASE(two_types_in_dynamic_shared_memory) {
  Buffer<double> out(32);
  Buffer<float> in(32, 0, 1);
  two_types<<<1, 32, 32 * 8 + 32 * 4>>>(out, in);
  finish();
  CHECK_THAT(out.host()[7] == 31);
}

__global__ void add_one(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

__global__ void reverse(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[n - 1 - i];
}

// Host and device take turns on managed memory, a synchronisation between.
CASE(managed_memory_in_turns) {
  int* data = nullptr;
  cudaMallocManaged(&data, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) data[i] = i;
  add_one<<<2, 32>>>(data);
  finish();
  for (int i = 0; i < 64; ++i) data[i] *= 2;
  add_one<<<2, 32>>>(data);
  finish();
  CHECK_THAT(data[10] == 23);
  cudaFree(data);
}

// One stream writes, another reads; an event between.
CASE(streams_ordered_by_an_event) {
  Buffer<int> out(128), in(128, 0, 1);
  cudaStream_t first, second;
  cudaEvent_t written;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreate(&written);
  add_one<<<4, 32, 0, first>>>(in);
  cudaEventRecord(written, first);
  cudaStreamWaitEvent(second, written, 0);
  reverse<<<4, 32, 0, second>>>(out, in, 128);
  finish();
  CHECK_THAT(out.host()[0] == 128);
  cudaEventDestroy(written);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

// The kernel writes to host memory; the host reads after the synchronisation.
CASE(mapped_host_memory) {
  int *data = nullptr, *on_device = nullptr;
  cudaHostAlloc(&data, 64 * sizeof(int), cudaHostAllocMapped);
  for (int i = 0; i < 64; ++i) data[i] = i;
  cudaHostGetDevicePointer(&on_device, data, 0);
  add_one<<<2, 32>>>(on_device);
  finish();
  CHECK_THAT(data[63] == 64);
  cudaFreeHost(data);
}

// Allocation, use and release in the order of one stream; the next buffer may get the same bytes.
CASE(memory_of_a_stream) {
  Buffer<int> out(64);
  for (int round = 0; round < 2; ++round) {
    int* data = nullptr;
    cudaMallocAsync(&data, 64 * sizeof(int), nullptr);
    cudaMemsetAsync(data, 0, 64 * sizeof(int), nullptr);
    add_one<<<2, 32>>>(data);
    reverse<<<2, 32>>>(out, data, 64);
    cudaFreeAsync(data, nullptr);
  }
  finish();
  CHECK_THAT(out.host()[5] == 1);
}

// Kernels of one stream follow each other: the second may read what any block of the first wrote.
CASE(kernels_in_order) {
  Buffer<int> out(128), in(128, 0, 1);
  add_one<<<4, 32>>>(in);
  reverse<<<2, 64>>>(out, in, 128);
  add_one<<<4, 32>>>(in);
  finish();
  CHECK_THAT(out.host()[0] == 128 && in.host()[127] == 129);
}

// Rows at a pitch, read row by row.
__global__ void sum_rows(int* out, const char* in, std::size_t pitch, int columns) {
  const int* row = reinterpret_cast<const int*>(in + threadIdx.x * pitch);
  int sum = 0;
  for (int c = 0; c < columns; ++c) sum += row[c];
  out[threadIdx.x] = sum;
}
CASE(rows_at_a_pitch) {
  Buffer<int> out(8);
  std::vector<int> values(8 * 10, 1);
  char* in = nullptr;
  std::size_t pitch = 0;
  cudaMallocPitch(&in, &pitch, 10 * sizeof(int), 8);
  cudaMemcpy2D(in, pitch, values.data(), 10 * sizeof(int), 10 * sizeof(int), 8, cudaMemcpyHostToDevice);
  sum_rows<<<1, 8>>>(out, in, pitch, 10);
  finish();
  CHECK_THAT(out.host()[7] == 10);
  cudaFree(in);
}

// Freeing nothing is allowed, and so is asking a stream whether it has finished.
CASE(harmless_calls) {
  Buffer<int> data(64);
  cudaFree(nullptr);
  cudaFreeHost(nullptr);
  add_one<<<2, 32>>>(data);
  while (cudaStreamQuery(nullptr) == cudaErrorNotReady) {
  }
  cudaMemcpy(data, data, 0, cudaMemcpyDeviceToDevice);
  finish();
  CHECK_THAT(data.host()[0] == 1);
}

// A swap in place: every pair of elements has one owner.
__global__ void transpose_in_place(int* m, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column > row) {
    const int above = m[row * n + column];
    m[row * n + column] = m[column * n + row];
    m[column * n + row] = above;
  }
}
CASE(swaps_with_one_owner) {
  Buffer<int> m(32 * 32, 0, 1);
  transpose_in_place<<<dim3(2, 2), dim3(16, 16)>>>(m, 32);
  finish();
  CHECK_THAT(m.host()[1] == 32);
}

// More than 48 KiB of dynamic shared memory, asked for.
__global__ void large_tile(int* out) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < 15 * 1024; i += blockDim.x) tile[i] = i;
  __syncthreads();
  out[threadIdx.x] = tile[15 * 1024 - 1 - threadIdx.x];
}
CASE(much_shared_memory) {
  Buffer<int> out(32);
  cudaFuncSetAttribute(large_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 * 1024);
  large_tile<<<1, 32, 60 * 1024>>>(out);
  finish();
  CHECK_THAT(out.host()[0] == 15 * 1024 - 1);
}
