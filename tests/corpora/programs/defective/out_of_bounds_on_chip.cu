// Accesses outside arrays in shared, local and constant memory.
#include "../case.h"

// expect: out-of-bounds shared
// wrong: a[64] is b[0]: no fault on any GPU, only a wrong value.
// cure:  the neighbour of the last element needs a case of its own.
__global__ void two_arrays(int* out, const int* in) {
  __shared__ int a[64], b[64];
  const int t = threadIdx.x;
  a[t] = in[t];
  b[t] = -in[t];
  __syncthreads();
  out[t] = a[t + 1] + b[63 - t];  // <- out-of-bounds
}
CASE(from_one_shared_array_into_the_next) {
  Buffer<int> out(64), in(64, 0, 1);
  two_arrays<<<1, 64>>>(out, in);
  finish();
}

// expect: out-of-bounds shared
// wrong: 32 elements, 64 threads.
// cure:  size the array by the block.
__global__ void small_array(int* out, const int* in) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];  // <- out-of-bounds
  __syncthreads();
  out[t] = s[t];  // <- out-of-bounds
}
CASE(shared_array_too_small) {
  Buffer<int> out(64), in(64, 0, 1);
  small_array<<<1, 64>>>(out, in);
  finish();
}

// expect: out-of-bounds shared
// wrong: the tile has a halo of one on each side; the left one has index -1.
// cure:  store at t + 1.
__global__ void halo(int* out, const int* in) {
  __shared__ int s[66];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  out[t] = t < 63 ? s[t - 1] + s[t + 1] : 0;  // <- out-of-bounds
}
CASE(negative_index_into_shared) {
  Buffer<int> out(64), in(64, 0, 1);
  halo<<<1, 64>>>(out, in);
  finish();
}

// expect: out-of-bounds shared
// wrong: the third argument of the launch is in bytes; 64 of them hold 16 ints.
// cure:  <<<1, 64, 64 * sizeof(int)>>>.
__global__ void reverse(int* out, const int* in) {
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  dynamic[t] = in[t];  // <- out-of-bounds
  __syncthreads();
  out[t] = dynamic[63 - t];  // <- out-of-bounds
}
CASE(dynamic_size_in_elements) {
  Buffer<int> out(64), in(64, 0, 1);
  reverse<<<1, 64, 64>>>(out, in);
  finish();
}

// expect: out-of-bounds shared
// wrong: the launch gives no dynamic shared memory at all.
// cure:  the launch's third argument.
__global__ void reverse_again(int* out, const int* in) {
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  dynamic[t] = in[t];  // <- out-of-bounds
  __syncthreads();
  out[t] = dynamic[63 - t];  // <- out-of-bounds
}
CASE(dynamic_size_forgotten) {
  Buffer<int> out(64), in(64, 0, 1);
  reverse_again<<<1, 64>>>(out, in);
  finish();
}

// expect: out-of-bounds local
// wrong: the insertion writes one place behind the thread's own array.
// cure:  stop one element earlier.
__global__ void sort_of_four(int* out, const int* in, int n) {
  int best[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    int place = 4;
    while (place > 0 && best[place - 1] < in[i]) --place;
    for (int k = 4; k > place; --k) best[k] = best[k - 1];  // <- out-of-bounds
    if (place < 4) best[place] = in[i];
  }
  for (int k = 0; k < 4; ++k) out[k] = best[k];
}
CASE(local_array) {
  Buffer<int> out(4), in(20, 7, 3);
  sort_of_four<<<1, 1>>>(out, in, 20);
  finish();
}

__constant__ int weights[5] = {1, 4, 6, 4, 1};

// expect: out-of-bounds constant
// wrong: five weights; the loop runs to 5 inclusive.
// cure:  k < 5.
__global__ void weigh(int* out, const int* in, int last) {
  int sum = 0;
  for (int k = 0; k <= last; ++k) {
    sum += weights[k] * in[threadIdx.x + k];  // <- out-of-bounds
  }
  out[threadIdx.x] = sum;
}
CASE(constant_array) {
  Buffer<int> out(32), in(64, 0, 1);
  weigh<<<1, 32>>>(out, in, 5);
  finish();
}

// expect: out-of-bounds shared
// wrong: the last row of the tile has no row after it.
// cure:  one more row (a halo), or a case of its own for the last.
__global__ void tile_neighbours(int* out, const int* in) {
  __shared__ int tile[8][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[y + 1][x] - tile[y][x];  // <- out-of-bounds
}
CASE(row_after_the_last) {
  Buffer<int> out(256), in(256, 0, 1);
  tile_neighbours<<<1, dim3(32, 8)>>>(out, in);
  finish();
}
