// Rung 5: 16 bytes a load and a store: four particles a thread.
#include "store.h"

constexpr int kBlock = 256;         // threads a block: eight warps
constexpr std::int64_t kLine = 32;  // floats in a line of 128 bytes
constexpr int kWide = 4;            // floats in 16 bytes, the widest access a thread has

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
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  // TODO(1): copy vector i as a float4, if there is one (1 or 2 lines).
  // Up to three floats are left behind the last whole vector: one each for the first threads of the grid.
  const std::int64_t rest = vectors * kWide + i;
  if (rest < particles.n) out[rest] = in[rest];
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  if (particles.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  constexpr int kPerBlock = kBlock * kWide;
  const unsigned blocks = static_cast<unsigned>((particles.n + kPerBlock - 1) / kPerBlock);
  snapshot_kernel<<<blocks, kBlock>>>(out, particles, static_cast<int>(field));
  return cudaGetLastError();
}
