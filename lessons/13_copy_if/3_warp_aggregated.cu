// Rung 3: a warp finds its places by a vote; one lane draws for all.
#include "copy_if.h"

constexpr int kWarp = 32;                   // lanes of a warp
constexpr int kBlock = 16 * kWarp;          // 512 threads a block, each with one element
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

__global__ void copy_if_kernel(int* out, int* kept, const int* in, std::int64_t n) {
  // Threads without an element stay: all lanes have to take part in the vote.
  // TODO(1): the kernel, without shared memory and barriers. __ballot_sync gives all lanes a bit for each
  //          lane with a wanted element; if there is none, the warp is done. The lowest lane of the voters is
  //          their leader. It draws as many places as there are voters, and tells all lanes the first one. A
  //          voter's own place comes as many places later as there are voters in lower lanes (12 lines).
  //          __ffs() finds the lowest bit, counting from 1; __popc() counts bits.
}

Order output_order() { return Order::any; }

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long*) {
  const cudaError_t error = cudaMemsetAsync(kept, 0, sizeof(*kept));
  if (error != cudaSuccess || n == 0) return error;
  copy_if_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(out, kept, in, n);
  return cudaGetLastError();
}
