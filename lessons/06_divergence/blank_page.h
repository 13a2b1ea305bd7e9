// The contract of the blank page: powers with exponents of very different lengths.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Raises numbers to powers and keeps the remainder: `out[i] = base[i] ^ exponent[i] mod modulus`.
///
/// By repeated squaring a power takes a round for each bit of its exponent, from the lowest to the highest
/// one that is set. Three exponents in four are below 2^8, one has 57 to 64 bits.
///
/// @param[out] out       device, [n]; does not overlap the inputs
/// @param[in]  base      device, [n], any values
/// @param[in]  exponent  device, [n], any values; x ^ 0 is 1, also for x = 0
/// @param      n         numbers, >= 0
/// @param      modulus   1 to 2^31; of 1 all remainders are 0
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
/// @note Moves 16 * n bytes, no floating-point operations.
cudaError_t power_mod(std::uint32_t* out, const std::uint32_t* base, const std::uint64_t* exponent,
                      std::int64_t n, std::uint32_t modulus);
