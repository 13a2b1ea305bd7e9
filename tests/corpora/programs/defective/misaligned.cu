// Addresses that are no multiple of the access's size.
#include "../case.h"

// expect: misaligned global
// wrong: a float4 needs an address that is a multiple of 16; in + 1 is 4 bytes on.
// cure:  single floats up to the first aligned element.
__global__ void copy_vectors(float4* out, const float* in) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(in + 1 + 4 * threadIdx.x);  // <- misaligned
}
CASE(vector_load_from_an_offset_pointer) {
  Buffer<float> in(140, 0, 1), out(128);
  copy_vectors<<<1, 32>>>(reinterpret_cast<float4*>(static_cast<float*>(out)), in);
  finish();
}

// expect: misaligned global
// wrong: the record's length stands at byte 5.
// cure:  copy the bytes with memcpy().
__global__ void read_length(int* out, const char* record) {
  *out = *reinterpret_cast<const int*>(record + 5);  // <- misaligned
}
CASE(integer_at_an_odd_byte) {
  Buffer<int> out(1);
  Buffer<char> record(64);
  read_length<<<1, 1>>>(out, record);
  finish();
}

// expect: misaligned shared
// wrong: the doubles begin behind 33 floats, at byte 132.
// cure:  the widest type first, or round the offset up to 8.
__global__ void two_types(double* out, const float* in) {
  extern __shared__ double memory[];
  float* singles = reinterpret_cast<float*>(memory);
  double* doubles = reinterpret_cast<double*>(singles + 33);
  const int t = threadIdx.x;
  singles[t] = in[t];
  doubles[t] = in[t];  // <- misaligned
  __syncthreads();
  out[t] = doubles[t] + singles[t];  // <- misaligned
}
CASE(two_types_in_dynamic_shared_memory) {
  Buffer<double> out(32);
  Buffer<float> in(32, 0, 1);
  two_types<<<1, 32, 33 * 4 + 32 * 8>>>(out, in);
  finish();
}

// expect: misaligned global
// wrong: an odd row of 15 ints starts 60 bytes on, no multiple of 8.
// cure:  pad the rows to an even length.
__global__ void rows_of_pairs(int* out, const int* in) {
  const int2 pair = *reinterpret_cast<const int2*>(in + threadIdx.x * 15);  // <- misaligned
  out[threadIdx.x] = pair.x + pair.y;
}
CASE(rows_of_odd_length) {
  Buffer<int> out(8), in(8 * 15, 0, 1);
  rows_of_pairs<<<1, 8>>>(out, in);
  finish();
}

// expect: misaligned global
// wrong: a 64-bit atomic at an address that is a multiple of 4 only.
// cure:  put the counter first, or align it.
__global__ void count_wide(int* header) {
  atomicAdd(reinterpret_cast<unsigned long long*>(header + 1), 1ull);  // <- misaligned
}
CASE(wide_atomic) {
  Buffer<int> header(4);
  count_wide<<<1, 32>>>(header);
  finish();
}
