// Mistakes with threads, barriers and streams of the kind that everybody makes once.
#include "../case.h"

// expect: race global
// wrong: the next free place is read and moved on in two steps
// cure:  out[atomicAdd(count, 1)]
__global__ void keep_even(int* out, int* count, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 2 == 0) out[(*count)++] = in[i];  // <- race
}
CASE(compaction_without_atomics) {
  Buffer<int> out(256), count(1), in(256, 0, 1);
  keep_even<<<4, 64>>>(out, count, in);
  finish();
}

// expect: race global
// wrong: between the test and the store somebody else may have stored something larger
// cure:  atomicMax(best, in[i])
__global__ void largest(int* best, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > *best) *best = in[i];  // <- race
}
CASE(largest_by_test_and_store) {
  Buffer<int> best(1), in(256, 0, 1);
  largest<<<4, 64>>>(best, in);
  finish();
}

// expect: race global
// wrong: two threads may find the same neighbour not visited
// cure:  if (atomicExch(&visited[v], 1) == 0)
__global__ void visit(int* visited, int* queue, int* count, const int* edges) {
  const int v = edges[blockIdx.x * blockDim.x + threadIdx.x];
  if (!visited[v]) {  // <- race
    visited[v] = 1;   // <- race
    queue[atomicAdd(count, 1)] = v;
  }
}
CASE(visited_tested_and_set) {
  std::vector<int> ends(128);
  for (int i = 0; i < 128; ++i) ends[i] = i * 7 % 32;
  Buffer<int> visited(32), queue(128), count(1), edges(128);
  cudaMemcpy(edges, ends.data(), 128 * sizeof(int), cudaMemcpyHostToDevice);
  visit<<<2, 64>>>(visited, queue, count, edges);
  finish();
}

// expect: race shared
// wrong: the count is read while others are still counting
// cure:  __syncthreads() before it is read
__global__ void count_large(int* out, const int* in) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] > 50) atomicAdd(&count, 1);  // <- race
  if (threadIdx.x == 0) out[0] = count;            // <- race
}
CASE(counter_read_beside_its_atomics) {
  Buffer<int> out(1), in(128, 0, 1);
  count_large<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: a thread may store its sum before its neighbour has read the old value
// cure:  a second barrier between reading and storing
__global__ void scan(int* out, const int* in) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  for (int d = 1; d < 128; d *= 2) {
    __syncthreads();
    if (t >= d) s[t] += s[t - d];  // <- race
  }
  out[t] = s[t];
}
CASE(scan_with_one_barrier_a_step) {
  Buffer<int> out(128), in(128, 1);
  scan<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the next phase compares with neighbours that are still being swapped
// cure:  __syncthreads() after each phase
__global__ void odd_even_sort(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = data[t], s[t + 64] = data[t + 64];
  __syncthreads();
  for (int phase = 0; phase < 128; ++phase) {
    const int i = 2 * t + phase % 2;
    if (i + 1 < 128 && s[i] > s[i + 1]) {  // <- race
      const int other = s[i];              // <- race
      s[i] = s[i + 1];                     // <- race
      s[i + 1] = other;                    // <- race
    }
  }
  __syncthreads();
  data[t] = s[t], data[t + 64] = s[t + 64];
}
CASE(odd_even_sort_without_a_barrier) {
  Buffer<int> data(128, 128, -1);
  odd_even_sort<<<1, 64>>>(data);
  finish();
}

// expect: race shared
// wrong: the second array begins in the middle of the first: offsets are in elements, not bytes
// cure:  int* number = reinterpret_cast<int*>(value + n)
__global__ void two_arrays(float* out, const float* in, int n) {
  extern __shared__ float value[];
  int* number = reinterpret_cast<int*>(value + n / sizeof(float));
  const int t = threadIdx.x;
  value[t] = in[t];  // <- race
  number[t] = t;     // <- race
  __syncthreads();
  out[t] = value[n - 1 - t] + number[n - 1 - t];
}
CASE(dynamic_parts_overlap) {
  Buffer<float> out(128), in(128, 1);
  two_arrays<<<1, 128, 128 * 8>>>(out, in, 128);
  finish();
}

// expect: race|hang shared|
// wrong: an ordinary variable is no flag: the compiler may read it once, and nothing orders what it guards
// cure:  __syncthreads()
__global__ void poll(int* out, const int* in) {
  __shared__ int ready, value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    value = in[0];  // <- race
    ready = 1;      // <- race
  }
  if (threadIdx.x == 0) {
    while (ready == 0) {  // <- race
    }
    out[0] = value;  // <- race
  }
}
CASE(flag_polled_in_shared_memory) {
  Buffer<int> out(1), in(1, 7);
  poll<<<1, 64>>>(out, in);
  cudaDeviceSynchronize();
}

// expect: barrier|hang
// wrong: each thread leaves the loop when its own work is done, and the others go on meeting
// cure:  while (__syncthreads_or(!done))
__global__ void halve(int* steps, const int* in) {
  int x = in[threadIdx.x], n = 0;
  bool done = x <= 1;
  while (!done) {
    x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    done = x <= 1;
    ++n;
    __syncthreads();  // <- barrier
  }
  steps[threadIdx.x] = n;
}
CASE(loop_left_by_a_private_flag) {
  Buffer<int> steps(64), in(64, 1, 1);
  halve<<<1, 64>>>(steps, in);
  finish();
}

// expect: mask|hang
// wrong: lanes whose left side is false never come to the vote that names them
// cure:  const bool some = __any_sync(0xffffffff, in[i] < 0); ... mine && some
__global__ void any_below(int* out, const int* in, int n) {
  const int i = threadIdx.x;
  out[i] = i < n && __any_sync(0xffffffff, in[i] < 0);  // <- mask
}
CASE(vote_behind_a_short_circuit) {
  Buffer<int> out(32), in(32, -3, 1);
  any_below<<<1, 32>>>(out, in, 20);
  finish();
}

// expect: hang
// wrong: ten steps of 0.1f do not add up to exactly 1
// cure:  x < 1
__global__ void integrate(float* out) {
  float sum = 0;
  for (float x = 0; x != 1.0f; x += 0.1f) sum += x * x;  // <- hang
  out[threadIdx.x] = sum;
}
CASE(sum_that_never_meets_its_end) {
  Buffer<float> out(32);
  integrate<<<1, 32>>>(out);
  cudaDeviceSynchronize();
}

// expect: race global
// wrong: a stream that waits for an event that was never recorded does not wait
// cure:  cudaEventRecord(filled, first)
__global__ void fill_with(int* data, int value) { data[threadIdx.x] = value; }
__global__ void add_to(int* out, const int* data) { out[threadIdx.x] += data[threadIdx.x]; }
CASE(event_never_recorded) {
  Buffer<int> data(64), out(64);
  cudaStream_t first, second;
  cudaEvent_t filled;
  cudaStreamCreate(&first), cudaStreamCreate(&second), cudaEventCreate(&filled);
  fill_with<<<1, 64, 0, first>>>(data, 3);  // <- race
  cudaStreamWaitEvent(second, filled, 0);
  add_to<<<1, 64, 0, second>>>(out, data);  // <- race
  finish();
  cudaStreamDestroy(first), cudaStreamDestroy(second), cudaEventDestroy(filled);
}

// expect: race global
// wrong: the memset is in one stream and the kernel that adds to the memory in another
// cure:  both in one stream
CASE(memset_in_another_stream) {
  Buffer<int> data(64, 1), out(64);
  cudaStream_t first, second;
  cudaStreamCreate(&first), cudaStreamCreate(&second);
  cudaMemsetAsync(out, 0, 64 * sizeof(int), first);  // <- race
  add_to<<<1, 64, 0, second>>>(out, data);           // <- race
  finish();
  cudaStreamDestroy(first), cudaStreamDestroy(second);
}

// expect: race host
// wrong: the copy out of the pinned buffer may still be under way when the host fills it anew
// cure:  cudaStreamSynchronize(stream) before the buffer is used again
CASE(pinned_buffer_filled_again) {
  constexpr int kWords = 4096;
  Buffer<int> data(2 * kWords);
  int* host;
  cudaStream_t stream;
  cudaStreamCreate(&stream), cudaMallocHost(&host, kWords * sizeof(int));
  for (int part = 0; part < 2; ++part) {
    for (int i = 0; i < kWords; ++i) host[i] = part;  // <- race
    cudaMemcpyAsync(data + part * kWords, host, kWords * sizeof(int), cudaMemcpyHostToDevice,
                    stream);  // <- race
  }
  finish();
  cudaStreamDestroy(stream), cudaFreeHost(host);
}
