// Rung 2: one particle a thread: neighbouring lanes have neighbouring particles.
#include "store.h"

constexpr int kBlock = 256;  // threads a block: eight warps

/// An array of structures: each particle's record in one piece.
struct Layout {
  /// Where in `data` a field of particle i lies.
  static __device__ std::int64_t place(const Particles&, std::int64_t i, int field) {
    return i * kFields + field;
  }
};

cudaError_t particles_store(Particles& particles, const float* records, std::int64_t n) {
  particles.n = n;
  return store<Layout>(particles, records, kFields * n);
}

__global__ void snapshot_kernel(float* out, Particles particles, int field) {
  // TODO(1): copy the field of particle i, where i is this thread's number in the grid, if there is such a
  //          particle (2 lines).
  // BEGIN SOLUTION
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < particles.n) out[i] = particles.data[Layout::place(particles, i, field)];
  // END SOLUTION
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  // TODO(2): launch a thread for each particle, in blocks of kBlock; without particles, nothing (3 lines).
  // BEGIN SOLUTION
  if (particles.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  const unsigned blocks = static_cast<unsigned>((particles.n + kBlock - 1) / kBlock);
  snapshot_kernel<<<blocks, kBlock>>>(out, particles, static_cast<int>(field));
  // END SOLUTION
  return cudaGetLastError();
}
