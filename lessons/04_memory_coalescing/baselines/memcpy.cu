// The driver's own copy, from the layout of rung 4.
#include "../store.h"

struct Layout {
  static __device__ std::int64_t place(const Particles& particles, std::int64_t i, int field) {
    return field * particles.pitch + i;
  }
};

cudaError_t particles_store(Particles& particles, const float* records, std::int64_t n) {
  constexpr std::int64_t kLine = 32;  // floats in 128 bytes
  particles.n = n;
  particles.pitch = (n + kLine - 1) / kLine * kLine;
  return store<Layout>(particles, records, kFields * particles.pitch);
}

cudaError_t snapshot(float* out, const Particles& particles, Field field) {
  if (particles.n == 0) return cudaSuccess;
  const float* in = particles.data + static_cast<int>(field) * particles.pitch;
  return cudaMemcpyAsync(out, in, static_cast<std::size_t>(particles.n) * sizeof(float),
                         cudaMemcpyDeviceToDevice);
}
