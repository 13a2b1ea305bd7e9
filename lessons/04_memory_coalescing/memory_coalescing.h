// The contract of the lesson: how the particles lie in memory is the rung's choice.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// What is known of a particle, in the order of its record.
enum class Field { x, y, z, vx, vy, vz, mass, temperature };
constexpr int kFields = 8;

/// @p n particles of kFields floats each, in the rung's own arrangement.
struct Particles {
  std::int64_t n = 0;      ///< particles, >= 0
  float* data = nullptr;   ///< device; starts at a multiple of 256 bytes, as cudaMalloc gives it
  std::int64_t pitch = 0;  ///< floats from a field's array to the next one's, for rungs that have such arrays
};

/// Allocates `particles.data` and fills it. Not timed.
///
/// @param[out] particles  all members are set; for n = 0 the pointer may be null
/// @param[in]  records    device, float [n][kFields]: the particles one after the other
/// @param      n          particles, >= 0
/// @return cudaSuccess, or the launch error
/// @throws ladder::CudaError when the allocation fails
cudaError_t particles_store(Particles& particles, const float* records, std::int64_t n);

/// Copies one field of all particles, bit by bit, whatever its value: `out[i] = field of particle i`.
///
/// @param[out] out        device, float [n]; starts at a multiple of 16 bytes
/// @param      particles  as particles_store() left them
/// @param      field      which one
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
/// @note Moves 2 * n * sizeof(float) bytes, 0 flop.
cudaError_t snapshot(float* out, const Particles& particles, Field field);
