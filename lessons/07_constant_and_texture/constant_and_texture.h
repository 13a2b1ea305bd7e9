// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kCurves = 64;  ///< tone curves
constexpr int kTerms = 8;    ///< coefficients of each: a polynomial of degree 7

/// Gives each pixel the tone that the curve of its zone says: with c = &curves[zone[i] * kTerms],
/// `out[i] = c[0] + c[1] * x + ... + c[7] * x^7` where x = in[i].
///
/// @param[out] out     device, float [n]; does not overlap the inputs
/// @param[in]  in      device, float [n], 0 to 1
/// @param[in]  zone    device, bytes [n], below kCurves
/// @param[in]  curves  device, float [kCurves][kTerms], -1 to 1; starts at a multiple of 16 bytes
/// @param      n       pixels, >= 0
/// @return cudaSuccess, or the error of a call or a launch; n = 0 launches nothing
/// @note Moves 9 * n bytes, 14 * n flop. Results are within 3e-6 of the true ones. Rungs 1 to 4.
cudaError_t tone(float* out, const float* in, const std::uint8_t* zone, const float* curves, std::int64_t n);

/// Rotates a picture about its middle. Texel (i, j) is the square from (i, j) to (i + 1, j + 1), so its
/// centre is (i + 0.5, j + 0.5). Pixel (x, y) of the result, of the same size, is taken from the place
/// - sx = cosine * u - sine * v + width / 2,
/// - sy = sine * u + cosine * v + height / 2,
///
/// with u = x + 0.5 - width / 2 and v = y + 0.5 - height / 2. There the four texels whose centres are around
/// it are mixed, linearly in both directions. Beyond the picture, its outermost texels go on for ever.
///
/// @param[out] out           device, float [height][width]
/// @param[in]  in            device, float [height][width], 0 to 1
/// @param      width,height  pixels, 1 to 32768
/// @param      cosine,sine   of the angle
/// @return cudaSuccess, or the launch error
/// @note Moves 8 * width * height bytes, 16 * width * height flop. Rung 5; right to what floats can tell of a
///       place.
cudaError_t rotate(float* out, const float* in, int width, int height, float cosine, float sine);

/// A picture where the texture units can read it.
struct Picture {
  cudaArray_t texels = nullptr;
  cudaTextureObject_t texture = 0;
};

/// Puts a picture into an array of its own, and makes a texture object of it, to be read with rotate() below.
/// Called once before a run of rotate(), and not timed. The caller frees both members afterwards.
///
/// @param[out] picture       both members are set
/// @param[in]  in            device, float [height][width]
/// @param      width,height  pixels, 1 to 32768
/// @return cudaSuccess, or the first error of a call
cudaError_t make_picture(Picture& picture, const float* in, int width, int height);  // rungs 6 and 7

/// The same as rotate() above, from a texture. Rung 6 is as exact as rung 5. Rung 7 lets the hardware mix the
/// texels, with fractions of 8 bits: that is right to 1/128 for values from 0 to 1.
cudaError_t rotate(float* out, cudaTextureObject_t picture, int width, int height, float cosine, float sine);
