// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

/// The most channels that a pixel has.
constexpr int kMostChannels = 32;

/// Puts the planes of a picture together: `out[p][c] = in[c][p]`, bit by bit. What was an array for each
/// channel becomes an array of pixels, each with its channels side by side.
///
/// @param[out] out       device, float [pixels][channels]; does not overlap @p in
/// @param[in]  in        device, float [channels][pixels]
/// @param      pixels    >= 0; out has fewer than 2^31 elements
/// @param      channels  from 1 to kMostChannels; as often as not no power of two
/// @return cudaSuccess, or the launch error; no pixels launch nothing
/// @note Both arrays start at a multiple of 4 bytes. Moves 2 * sizeof(float) bytes an element.
cudaError_t interleave(float* out, const float* in, int pixels, int channels);
