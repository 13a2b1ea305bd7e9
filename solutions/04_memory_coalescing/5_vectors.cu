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
  // TODO(1): copy vector number i, this thread's in the grid, as a float4, if there is such a whole vector.
  //          Up to kWide - 1 floats are left behind the last one: a thread each, from the grid's first on
  //          (5 lines).
  // BEGIN SOLUTION
  const std::int64_t vectors = particles.n / kWide;  // whole ones
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < vectors) reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  // Up to three floats are left behind the last whole vector: one each for the first threads of the grid.
  const std::int64_t rest = vectors * kWide + i;
  if (rest < particles.n) out[rest] = in[rest];
  // END SOLUTION
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  if (particles.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(2): launch the kernel. How many particles does a block do now? When n is 1, who copies it (3
  //          lines)?
  // BEGIN SOLUTION
  constexpr int kPerBlock = kBlock * kWide;
  const unsigned blocks = static_cast<unsigned>((particles.n + kPerBlock - 1) / kPerBlock);
  snapshot_kernel<<<blocks, kBlock>>>(out, particles, static_cast<int>(field));
  // END SOLUTION
  return cudaGetLastError();
}
