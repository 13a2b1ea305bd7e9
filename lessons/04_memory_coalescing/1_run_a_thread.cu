// Rung 1: a run of 32 particles for each thread, one after the other, as one would divide work on CPU cores.
#include "store.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kRun = 32;     // particles a thread

/// An array of structures: each particle's record in one piece.
struct Layout {
  /// Where in `data` a field of particle i lies.
  static __device__ std::int64_t place(const Particles&, std::int64_t i, int field) {
    // TODO(1): records of kFields floats follow one another, the fields in the order of Field (1 line).
  }
};

cudaError_t particles_store(Particles& particles, const float* records, std::int64_t n) {
  particles.n = n;
  return store<Layout>(particles, records, kFields * n);
}

__global__ void snapshot_kernel(float* out, Particles particles, int field) {
  // TODO(2): thread 0 of the grid takes particles 0 to kRun - 1, thread 1 the next kRun, and so on. Copy
  //          their field with particles.data[Layout::place(particles, i, field)]; the last run may be
  //          short, and threads behind it have none (4 lines).
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  if (particles.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(3): launch blocks of kBlock threads, as many as it takes for each particle to be in some thread's
  //          run (3 lines).
  return cudaGetLastError();
}
