// Mistakes of two places, one of which is in a header.
#include "two_places.h"

__global__ void shift(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  out[t] = neighbour(s, t);
}

__global__ void part(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    meet();
  }
  out[threadIdx.x] = 1;
}

int main(int argc, char**) {
  int* out = nullptr;
  cudaMalloc(&out, 64 * sizeof(int));
  if (argc > 1)
    part<<<1, 64>>>(out);
  else
    shift<<<1, 64>>>(out);
  return cudaDeviceSynchronize();
}
