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
  // BEGIN SOLUTION
  // The block copies kInFlight * kBlock vectors; this thread the one here and every kBlock-th after it.
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kInFlight * kBlock + threadIdx.x;
  float4 v[kInFlight];
#pragma unroll
  for (int k = 0; k < kInFlight; ++k) {
    const std::int64_t i = first + k * kBlock;
    if (i < vectors) v[k] = reinterpret_cast<const float4*>(in)[i];
  }
#pragma unroll
  for (int k = 0; k < kInFlight; ++k) {
    const std::int64_t i = first + k * kBlock;
    if (i < vectors) reinterpret_cast<float4*>(out)[i] = v[k];
  }
  // END SOLUTION
  // TODO(2): the floats behind the last whole vector, as in rung 5. Which number may a thread go by here,
  //          such that each of them has exactly one thread (2 lines)?
  // BEGIN SOLUTION
  // Up to three floats are left behind the last whole vector: one each for the first threads of the grid.
  const std::int64_t rest = vectors * kWide + first;
  if (rest < particles.n) out[rest] = in[rest];
  // END SOLUTION
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  if (particles.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(3): launch the kernel, with as many blocks as that takes (3 lines).
  // BEGIN SOLUTION
  constexpr int kPerBlock = kBlock * kWide * kInFlight;
  const unsigned blocks = static_cast<unsigned>((particles.n + kPerBlock - 1) / kPerBlock);
  snapshot_kernel<<<blocks, kBlock>>>(out, particles, static_cast<int>(field));
  // END SOLUTION
  return cudaGetLastError();
}
