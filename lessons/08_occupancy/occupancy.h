// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr float kTurns = 2.9154f;     ///< turns of the phase a metre: a tone of 1 kHz in air
constexpr float kDamping = 0.0625f;   ///< a wave loses this share of itself in a metre, exponentially
constexpr float kTwoPi = 6.2831853f;  ///< radians in a turn

/// The sound that loudspeakers make where the listeners are, all playing one tone. A loudspeaker of strength
/// s is heard at a distance of r metres as a wave of amplitude `a = s * exp(-kDamping * r) / r`, whose phase
/// is kTurns * r turns: `a * cos(phase)` is added to out.x, `a * sin(phase)` to out.y.
///
/// @param[out] out        device, float2 [n]
/// @param[in]  listeners  device, float4 [n]: x, y, z in metres, from 0 to 4; w means nothing
/// @param[in]  speakers   device, float4 [m]: x from 5 to 8, y and z from 0 to 4 metres; w is the strength,
///                        -1 to 1
/// @param      n          listeners, >= 0
/// @param      m          loudspeakers, >= 0; without any it is quiet: (0, 0)
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
/// @note Moves 24 * n + 16 * m bytes, 24 * n * m flop. Each of the sums is right to m * 2^-17: some 2^-20 of
///       a turn of phase is what floats allow at this distance, and no more is asked for.
cudaError_t field(float2* out, const float4* listeners, const float4* speakers, std::int64_t n, int m);
