// Mistakes with indices, sizes and values of the kind that everybody makes once.
#include "../case.h"

// expect: out-of-bounds local
// wrong: the loop runs once too often, into the array that lies behind the first
// cure:  k < 4
__global__ void moments(float* out, const float* in, int n) {
  float power[4];
  float sum[4] = {};
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float p = 1;
    for (int k = 0; k <= 4; ++k, p *= in[i]) power[k] = p;  // <- out-of-bounds
    for (int k = 0; k < 4; ++k) sum[k] += power[k];
  }
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = sum[k];
}
CASE(local_array_into_its_neighbour) {
  Buffer<float> out(128), in(64, 1);
  moments<<<1, 32>>>(out, in, 64);
  finish();
}

// expect: out-of-bounds local
// wrong: the last place is shifted out of the caller's list before the new value is put in
// cure:  start at kBest - 1
constexpr int kBest = 3;
__device__ void insert(int* best, int value) {
  int at = kBest;
  for (; at > 0 && best[at - 1] < value; --at) best[at] = best[at - 1];  // <- out-of-bounds
  if (at < kBest) best[at] = value;
}
__global__ void three_largest(int* out, const int* in, int n) {
  int best[kBest] = {}, seen[2] = {};
  for (int i = threadIdx.x; i < n; i += blockDim.x) insert(best, in[i]), ++seen[i & 1];
  for (int k = 0; k < kBest; ++k) out[threadIdx.x * kBest + k] = best[k] + seen[0] - seen[1];
}
CASE(list_of_the_caller) {
  Buffer<int> out(32 * kBest), in(128, 0, 1);
  three_largest<<<1, 32>>>(out, in, 128);
  finish();
}

// expect: out-of-bounds shared
// wrong: the tile has 8 rows of 32, and is indexed as 32 rows of 8
// cure:  tile[threadIdx.y][threadIdx.x]
__global__ void double_tile(float* out, const float* in) {
  __shared__ float tile[8][32];
  const int i = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.x][threadIdx.y] = in[i];  // <- out-of-bounds
  __syncthreads();
  out[i] = 2 * tile[threadIdx.x][threadIdx.y];  // <- out-of-bounds
}
CASE(tile_indices_swapped) {
  Buffer<float> out(256), in(256, 1);
  double_tile<<<1, dim3(32, 8)>>>(out, in);
  finish();
}

// expect: out-of-bounds shared
// wrong: every block has shared memory of its own, from index 0 on
// cure:  s[threadIdx.x]
__global__ void reverse_blocks(int* out, const int* in) {
  __shared__ int s[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[i] = in[i];  // <- out-of-bounds
  __syncthreads();
  out[i] = s[blockIdx.x * blockDim.x + 63 - threadIdx.x];  // <- out-of-bounds
}
CASE(shared_indexed_by_the_global_index) {
  Buffer<int> out(256), in(256, 0, 1);
  reverse_blocks<<<4, 64>>>(out, in);
  finish();
}

// expect: out-of-bounds global
// wrong: cudaMalloc counts bytes
// cure:  n * sizeof(double)
__global__ void fill(double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;  // <- out-of-bounds
}
CASE(allocated_in_elements) {
  double* out;
  cudaMalloc(&out, 500);
  fill<<<4, 128>>>(out, 500);
  finish();
  cudaFree(out);
}

// expect: out-of-bounds global
// wrong: a thread beyond one of the two limits has to go, not only one beyond both
// cure:  x >= width || y >= height
__global__ void invert(unsigned char* out, const unsigned char* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width && y >= height) return;
  out[y * width + x] = 255 - in[y * width + x];  // <- out-of-bounds
}
CASE(beyond_one_limit_only) {
  Buffer<unsigned char> out(50 * 20), in(50 * 20);
  invert<<<dim3(4, 2), dim3(16, 16)>>>(out, in, 50, 20);
  finish();
}

// expect: out-of-bounds global
// wrong: a pitch is in bytes, and is added to a pointer to float
// cure:  reinterpret_cast<float*>(reinterpret_cast<char*>(a) + row * pitch)
__global__ void clear_rows(float* a, size_t pitch, int columns) {
  float* row = a + blockIdx.x * pitch;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) row[c] = 0;  // <- out-of-bounds
}
CASE(pitch_taken_for_elements) {
  float* a;
  size_t pitch;
  cudaMallocPitch(&a, &pitch, 100 * sizeof(float), 16);
  clear_rows<<<16, 32>>>(a, pitch, 100);
  finish();
  cudaFree(a);
}

// expect: out-of-bounds global
// wrong: the product of two ints does not fit an int
// cure:  size_t(row) * row_length
__global__ void first_of_rows(float* out, const float* in, int row_length, int n) {
  const int row = threadIdx.x;
  const int at = row * row_length;
  if (at < n) out[row] = in[at];  // <- out-of-bounds
}
CASE(index_overflows) {
  Buffer<float> out(32), in(1024, 1);
  first_of_rows<<<1, 32>>>(out, in, 200'000'000, 1024);
  finish();
}

// expect: out-of-bounds|hang global|
// wrong: an unsigned number is never below zero: after 0 comes the largest
// cure:  for (int i = n - 1; i >= 0; --i)
__global__ void backwards(float* out, const float* in, unsigned n) {
  float sum = 0;
  for (unsigned i = n - 1; i >= 0; --i) sum += in[i];  // <- out-of-bounds
  out[0] = sum;
}
CASE(unsigned_loop_downwards) {
  Buffer<float> out(1), in(64, 1);
  backwards<<<1, 1>>>(out, in, 64);
  finish();
}

// expect: uninitialized local
// wrong: only the first two of four elements have been given a value
// cure:  int digit[4] = {};
__global__ void digits(int* out, const int* in) {
  int digit[4];
  int n = 0;
  for (int x = in [threadIdx.x]; x > 0; x /= 10) digit[n++] = x % 10;
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = digit[k];  // <- uninitialized
}
CASE(local_array_copied_out) {
  Buffer<int> out(128), in(32, 42, 1);
  digits<<<1, 32>>>(out, in);
  finish();
}

// expect: uninitialized local
// wrong: threads beyond the end store a value that they never computed
// cure:  float v = 0;
__global__ void gather(float* out, const float* in, int n) {
  float v;
  if (threadIdx.x < n) v = in[threadIdx.x];
  out[threadIdx.x] = v;  // <- uninitialized
}
CASE(value_of_the_other_branch) {
  Buffer<float> out(64), in(64, 1);
  gather<<<1, 64>>>(out, in, 50);
  finish();
}

// expect: uninitialized global
// wrong: sizeof of a pointer is 8, however much it points to
// cure:  64 * sizeof(int)
__global__ void count_up(int* counts) {
  counts[threadIdx.x] += 1;  // <- uninitialized
}
CASE(sizeof_a_pointer) {
  int* counts;
  cudaMalloc(&counts, 64 * sizeof(int));
  cudaMemset(counts, 0, sizeof(counts));
  count_up<<<1, 64>>>(counts);
  finish();
  cudaFree(counts);
}

// expect: uninitialized global
// wrong: only half of the input has been copied to the device; the other half goes into the sum
// cure:  copy all of it
__global__ void sum_block(int* out, const int* in) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];  // <- uninitialized
  __syncthreads();
  for (int h = 32; h > 0; h /= 2) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0];
}
CASE(unwritten_values_summed_in_shared_memory) {
  Buffer<int> out(1);
  int host[32] = {}, *in;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  sum_block<<<1, 64>>>(out, in);
  finish();
  cudaFree(in);
}

// expect: use-after-free global
// wrong: after the swap the names have changed places, and the buffer still in use is freed
// cure:  free `next`
__global__ void step(int* next, const int* now) { next[threadIdx.x] = now[threadIdx.x] + 1; }
__global__ void store_last(int* out, const int* now) {
  out[threadIdx.x] = now[threadIdx.x];  // <- use-after-free
}
CASE(wrong_buffer_freed) {
  Buffer<int> out(32);
  int *now, *next;
  cudaMalloc(&now, 128), cudaMalloc(&next, 128);
  cudaMemset(now, 0, 128);
  for (int i = 0; i < 3; ++i) {
    step<<<1, 32>>>(next, now);
    int* before = now;
    now = next, next = before;
  }
  cudaFree(now);
  store_last<<<1, 32>>>(out, now);
  cudaDeviceSynchronize();
  cudaFree(next);
}

// expect: misaligned shared
// wrong: a float2 lies at a multiple of 8 bytes, and these begin at every float
// cure:  read the two floats by themselves
__global__ void differences(float* out, const float* in) {
  __shared__ float s[65];
  s[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) s[64] = 0;
  __syncthreads();
  const float2 two = *reinterpret_cast<const float2*>(&s[threadIdx.x]);  // <- misaligned
  out[threadIdx.x] = two.y - two.x;
}
CASE(pairs_from_an_odd_float) {
  Buffer<float> out(64), in(64, 1, 1);
  differences<<<1, 64>>>(out, in);
  finish();
}
