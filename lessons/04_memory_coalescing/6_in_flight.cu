// Rung 6: four vectors a thread, all asked for before the first has come.
#include "store.h"

constexpr int kBlock = 256;         // threads a block: eight warps
constexpr std::int64_t kLine = 32;  // floats in a line of 128 bytes
constexpr int kWide = 4;            // floats in 16 bytes, the widest access a thread has
constexpr int kInFlight = 4;        // loads a thread has under way: 64 bytes

/// A structure of arrays, each starting at a multiple of 128 bytes.
struct Layout {
  /// Where in `data` a field of particle i lies.
  static __device__ std::int64_t place(const Particles& particles, std::int64_t i, int field) {
    return field * particles.pitch + i;
  }
};

cudaError_t particles_store(Particles& particles, const float* records, std::int64_t n) {
  particles.n = n;
  particles.pitch = (n + kLine - 1) / kLine * kLine;
  return store<Layout>(particles, records, kFields * (n + kLine));  // room for n and padding, each
}

__global__ void snapshot_kernel(float* out, Particles particles, int field) {
  const float* in = particles.data + Layout::place(particles, 0, field);  // a multiple of 128 bytes
  const std::int64_t vectors = particles.n / kWide;                       // whole ones
  // TODO(1): a block copies kInFlight * kBlock vectors; a thread kInFlight of them, so chosen that lanes
  //          stay neighbours in each access. Load those that exist into an array of float4 with one
  //          unrolled loop and store them with another (12 lines). Why two loops?
  // TODO(2): the floats behind the last whole vector, as in rung 5. Which number may a thread go by here,
  //          such that each of them has exactly one thread (2 lines)?
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  if (particles.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(3): launch the kernel, with as many blocks as that takes (3 lines).
  return cudaGetLastError();
}
