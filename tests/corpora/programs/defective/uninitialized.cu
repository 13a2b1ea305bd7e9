// Values read that nobody has written.
#include "../case.h"

// expect: uninitialized shared
// wrong: shared memory is not zero at a block's start.
// cure:  if (threadIdx.x == 0) sum = 0; __syncthreads();
__global__ void sum_in_shared(int* out, const int* in) {
  __shared__ int sum;
  atomicAdd(&sum, in[threadIdx.x]);  // <- uninitialized
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;  // <- uninitialized
}
CASE(shared_accumulator) {
  Buffer<int> out(1), in(64, 0, 1);
  sum_in_shared<<<1, 64>>>(out, in);
  finish();
}

// expect: uninitialized shared
// wrong: 64 threads fill 64 of the 66 elements; the halo stays as it was.
// cure:  let two threads load the halo.
__global__ void blur(int* out, const int* in) {
  __shared__ int s[66];
  const int t = threadIdx.x;
  s[t + 1] = in[t];
  __syncthreads();
  out[t] = s[t] + s[t + 1] + s[t + 2];  // <- uninitialized
}
CASE(halo_not_filled) {
  Buffer<int> out(64), in(64, 0, 1);
  blur<<<1, 64>>>(out, in);
  finish();
}

// expect: uninitialized shared
// wrong: the last block loads 20 elements and adds up 32.
// cure:  store 0 where there is no element.
__global__ void block_sums(int* out, const int* in, int n) {
  __shared__ int s[32];
  const int t = threadIdx.x, i = blockIdx.x * 32 + t;
  if (i < n) s[t] = in[i];
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int k = 0; k < 32; ++k) sum += s[k];  // <- uninitialized
    out[blockIdx.x] = sum;                     // <- uninitialized
  }
}
CASE(ragged_tile) {
  Buffer<int> out(2), in(52, 0, 1);
  block_sums<<<2, 32>>>(out, in, 52);
  finish();
}

// expect: uninitialized global
// wrong: cudaMalloc() does not set memory to zero, and the kernel adds to it.
// cure:  cudaMemset(sum, 0, sizeof *sum).
__global__ void add_all(int* sum, const int* in) {
  atomicAdd(sum, in[threadIdx.x]);  // <- uninitialized
}
CASE(accumulator_from_malloc) {
  Buffer<int> in(64, 0, 1);
  int* sum = nullptr;
  cudaMalloc(&sum, sizeof *sum);
  add_all<<<1, 64>>>(sum, in);
  finish();
  cudaFree(sum);
}

// expect: uninitialized global
// wrong: the bins start with what was in memory; only every other one is set to zero.
// cure:  cudaMemset() of all bins.
__global__ void count(int* bins, const int* in) {
  if (threadIdx.x < 16) bins[2 * threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 32], 1);  // <- uninitialized
}
CASE(histogram_bins_not_zeroed) {
  Buffer<int> in(64, 0, 1);
  int* bins = nullptr;
  cudaMalloc(&bins, 32 * sizeof(int));
  count<<<1, 64>>>(bins, in);
  finish();
  cudaFree(bins);
}

// expect: uninitialized local
// wrong: the sum has no first value.
// cure:  int sum = 0.
__global__ void row_sum(int* out, const int* in, int n) {
  int sum;
  for (int i = 0; i < n; ++i) sum += in[i];  // <- uninitialized
  out[threadIdx.x] = sum;                    // <- uninitialized
}
CASE(local_accumulator) {
  Buffer<int> out(32), in(16, 0, 1);
  row_sum<<<1, 32>>>(out, in, 16);
  finish();
}

// expect: uninitialized local
// wrong: the loop that fills the array ends one too early.
// cure:  k < 8.
__global__ void polynomial(int* out, const int* in, int n) {
  int power[8];
  power[0] = 1;
  for (int k = 1; k < n - 1; ++k) power[k] = power[k - 1] * in[threadIdx.x];
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += power[k];  // <- uninitialized
  out[threadIdx.x] = sum;                       // <- uninitialized
}
CASE(local_array_partly_filled) {
  Buffer<int> out(32), in(32, 0, 1);
  polynomial<<<1, 32>>>(out, in, 8);
  finish();
}

// expect: uninitialized global
// wrong: memory of a pool is as undefined as cudaMalloc()'s.
// cure:  cudaMemsetAsync() on the same stream.
__global__ void increment(int* counters) {
  counters[threadIdx.x] += 1;  // <- uninitialized
}
CASE(memory_of_a_pool) {
  int* counters = nullptr;
  cudaMallocAsync(&counters, 32 * sizeof(int), nullptr);
  increment<<<1, 32>>>(counters);
  finish();
  cudaFreeAsync(counters, nullptr);
  cudaStreamSynchronize(nullptr);
}

// expect: uninitialized global
// wrong: the input was never copied to the device.
// cure:  cudaMemcpy() before the launch.
__global__ void twice(int* out, const int* in) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // <- uninitialized
}
CASE(forgotten_copy_to_the_device) {
  Buffer<int> out(32);
  int* in = nullptr;
  cudaMalloc(&in, 32 * sizeof(int));
  twice<<<1, 32>>>(out, in);
  finish();
  cudaFree(in);
}

// expect: uninitialized global
// wrong: the size is in elements, so a quarter arrives. The copy itself is legal; its missing rest is what
// shows. cure:  32 * sizeof(int).
__global__ void thrice(int* out, const int* in) {
  out[threadIdx.x] = 3 * in[threadIdx.x];  // <- uninitialized
}
CASE(copy_size_in_elements) {
  Buffer<int> out(32);
  std::vector<int> values(32, 1);
  int* in = nullptr;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMemcpy(in, values.data(), 32, cudaMemcpyHostToDevice);
  thrice<<<1, 32>>>(out, in);
  finish();
  cudaFree(in);
}
