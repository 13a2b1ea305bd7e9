// Rung 3: a structure of arrays: all x, then all y, and so on; the kernel stays as it was.
#include "store.h"

constexpr int kBlock = 256;  // threads a block: eight warps

/// A structure of arrays, one array a field, each right behind the one before.
struct Layout {
  /// Where in `data` a field of particle i lies.
  static __device__ std::int64_t place(const Particles& particles, std::int64_t i, int field) {
    // TODO(1): array number `field` lies behind `field` whole arrays of particles.n floats (1 line).
  }
};

cudaError_t particles_store(Particles& particles, const float* records, std::int64_t n) {
  particles.n = n;
  return store<Layout>(particles, records, kFields * n);
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
