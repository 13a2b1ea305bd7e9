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
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  // TODO(2): launch a thread for each particle, in blocks of kBlock; without particles, nothing (3 lines).
  return cudaGetLastError();
}
