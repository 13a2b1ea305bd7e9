// Accesses to global memory outside every allocation, or outside the one meant.
#include "../case.h"

// expect: out-of-bounds global
// wrong: the last block has more threads than elements are left, and no guard.
// cure:  if (i < n).
__global__ void scale(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i % 1000];
  out[i] = 2 * x;  // <- out-of-bounds
}
CASE(write_past_the_end) {
  Buffer<float> out(1000), in(1000, 0, 1);
  scale<<<4, 256>>>(out, in);
  finish();
}

// expect: out-of-bounds global
// wrong: the guard protects the store, the load comes before it.
// cure:  load inside the if.
__global__ void scale_with_late_guard(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];  // <- out-of-bounds
  if (x * 2 < 1e30f && i < n) out[i] = 2 * x;
}
CASE(read_past_the_end) {
  Buffer<float> out(1000), in(1000, 0, 1);
  scale_with_late_guard<<<4, 256>>>(out, in, 1000);
  finish();
}

// expect: out-of-bounds global
// wrong: element 0 has no left neighbour.
// cure:  treat i == 0 apart.
__global__ void differences(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] - in[i - 1];  // <- out-of-bounds
}
CASE(negative_index) {
  Buffer<int> out(100), in(100, 0, 1);
  differences<<<1, 128>>>(out, in, 100);
  finish();
}

// expect: out-of-bounds global
// wrong: on a GPU the second buffer often follows the first with no gap, so the wrong store goes unseen.
// cure:  launch as many threads as there are elements, or guard.
__global__ void fill(int* first) {
  first[threadIdx.x] = threadIdx.x;  // <- out-of-bounds
}
CASE(write_into_the_next_allocation) {
  Buffer<int> first(128), second(128);  // 512 bytes each
  fill<<<1, 160>>>(first);
  finish();
}

// expect: out-of-bounds global
// wrong: the guard lets i == n pass.
// cure:  if (i < n).
__global__ void fill_with_wrong_guard(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i;  // <- out-of-bounds
}
CASE(guard_off_by_one) {
  Buffer<int> out(200);
  fill_with_wrong_guard<<<1, 256>>>(out, 200);
  finish();
}

// expect: out-of-bounds global
// wrong: the value is not needed, so the optimiser deletes the load; the next compiler may not.
// cure:  load where it is needed, behind the guard.
__global__ void keep_small(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = in[i];  // <- out-of-bounds
  if (i < n) out[i] = i;
  if (i < 0) out[0] = x;
}
CASE(dead_load) {
  Buffer<int> out(200), in(200);
  keep_small<<<1, 256>>>(out, in, 200);
  finish();
}

// expect: out-of-bounds global
// wrong: 1001 floats are 250 float4 and one float; the 251st float4 sticks out by 12 bytes.
// cure:  vectors for the first n / 4, single floats for the rest.
__global__ void sum_of_vectors(float* out, const float4* in, int vectors) {
  const int i = threadIdx.x;
  if (i < vectors) {
    const float4 v = in[i];  // <- out-of-bounds
    out[i] = v.x + v.y + v.z + v.w;
  }
}
CASE(vector_load_past_the_end) {
  Buffer<float> out(256), in(1001, 0, 1);
  sum_of_vectors<<<1, 256>>>(out, reinterpret_cast<float4*>(static_cast<float*>(in)), (1001 + 3) / 4);
  finish();
}

// expect: out-of-bounds global
// wrong: values reach 256, the bins end at 255.
// cure:  one more bin, or clamp the value.
__global__ void count_values(unsigned* bins, const int* in) {
  atomicAdd(&bins[in[threadIdx.x]], 1u);  // <- out-of-bounds
}
CASE(atomic_past_the_end) {
  Buffer<unsigned> bins(256);
  Buffer<int> in(129, 0, 2);
  count_values<<<1, 129>>>(bins, in);
  finish();
}

// expect: out-of-bounds global
// wrong: rows are 50 elements apart; 20 is their number.
// cure:  in[row * columns + column], with column the faster index.
__global__ void row_sums(int* out, const int* in, int rows, int columns) {
  const int row = threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  for (int column = 0; column < columns; ++column) {
    sum += in[column * columns + row];  // <- out-of-bounds
  }
  out[row] = sum;
}
CASE(wrong_leading_dimension) {
  Buffer<int> out(20), in(20 * 50, 0, 1);
  row_sums<<<1, 32>>>(out, in, 20, 50);
  finish();
}

__device__ int table[64];

// expect: out-of-bounds global
// wrong: a table of 64 in device memory, written by 65 threads.
// cure:  guard with the table's size.
__global__ void fill_table() {
  table[threadIdx.x] = threadIdx.x;  // <- out-of-bounds
}
CASE(device_array_past_the_end) {
  fill_table<<<1, 65>>>();
  finish();
}

// expect: out-of-bounds global
// wrong: the window of the last elements reaches past the end.
// cure:  end the window at n.
__global__ void window_sums(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int j = i; j < i + 5; ++j) sum += in[j];  // <- out-of-bounds
  out[i] = sum;
}
CASE(window_past_the_end) {
  Buffer<int> out(300), in(300, 0, 1);
  window_sums<<<2, 160>>>(out, in, 300);
  finish();
}

// expect: out-of-bounds global|host
// wrong: the pointer was never given an allocation.
// cure:  cudaMalloc() first, and check what it returns.
__global__ void write_one(int* out) {
  *out = 1;  // <- out-of-bounds
}
CASE(null_pointer) {
  write_one<<<1, 1>>>(nullptr);
  finish();
}

// expect: out-of-bounds global|host
// wrong: the array lives in host memory, which a kernel cannot reach by an ordinary pointer.
// cure:  cudaMalloc() and cudaMemcpy(), or cudaMallocManaged().
__global__ void add_one(int* a) {
  a[threadIdx.x] += 1;  // <- out-of-bounds
}
CASE(host_pointer_given_to_a_kernel) {
  std::vector<int> a(32);
  add_one<<<1, 32>>>(a.data());
  finish();
}
