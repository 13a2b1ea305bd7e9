// Rung 4: room between the arrays, so that each of them starts where a line of memory starts.
#include "store.h"

constexpr int kBlock = 256;         // threads a block: eight warps
constexpr std::int64_t kLine = 32;  // floats in a line of 128 bytes

/// A structure of arrays, each starting at a multiple of 128 bytes.
struct Layout {
  /// Where in `data` a field of particle i lies.
  static __device__ std::int64_t place(const Particles& particles, std::int64_t i, int field) {
    return field * particles.pitch + i;
  }
};

cudaError_t particles_store(Particles& particles, const float* records, std::int64_t n) {
  particles.n = n;
  std::int64_t floats = 0;  // of all arrays, with the room between them
  // TODO(1): set particles.pitch, the floats from one array's start to the next one's: the smallest
  //          multiple of kLine that has room for n. And how many floats do kFields such arrays take (2
  //          lines)?
  return store<Layout>(particles, records, floats);
}

__global__ void snapshot_kernel(float* out, Particles particles, int field) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < particles.n) out[i] = particles.data[Layout::place(particles, i, field)];
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  if (particles.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  const unsigned blocks = static_cast<unsigned>((particles.n + kBlock - 1) / kBlock);
  snapshot_kernel<<<blocks, kBlock>>>(out, particles, static_cast<int>(field));
  return cudaGetLastError();
}
