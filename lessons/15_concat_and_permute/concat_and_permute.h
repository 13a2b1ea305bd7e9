// The contract of the lesson: two functions that move elements bit by bit, whatever they are.
#pragma once

#include <cuda_runtime_api.h>

/// Puts two matrices side by side: row r of @p out is row r of @p a, then row r of @p b. Any tensors that are
/// put together along an axis look like this if the axes before it are taken for one, and it and those after
/// it for another.
///
/// @param[out] out     device, float [rows][a_cols + b_cols], row-major; overlaps no input
/// @param[in]  a       device, float [rows][a_cols]
/// @param[in]  b       device, float [rows][b_cols]
/// @param      rows    >= 0
/// @param      a_cols  >= 0
/// @param      b_cols  >= 0; out has fewer than 2^31 elements
/// @return cudaSuccess, or the launch error; nothing to write launches nothing
/// @note All arrays start at a multiple of 16 bytes. Moves 2 * sizeof(float) bytes an element of @p out.
cudaError_t concat(float* out, const float* a, const float* b, int rows, int a_cols,
                   int b_cols);  // rungs 1, 2

/// Extents of a tensor with four axes; the last one is contiguous.
struct Shape {
  int extent[4];
};

/// Axis axis[k] of the input becomes axis k of the output, as in NumPy's transpose and PyTorch's permute.
struct Order {
  int axis[4];
};

/// Permutes the axes of a tensor: `out[j0][j1][j2][j3] = in[i0][i1][i2][i3]` where `i[order.axis[k]] = j[k]`.
/// So {0, 2, 3, 1} turns NCHW (each channel a picture) into NHWC (each pixel a vector of channels), and
/// {0, 3, 1, 2} is the way back.
///
/// @param[out] out    device, float, of the permuted shape; does not overlap @p in
/// @param[in]  in     device, float, of @p shape
/// @param      shape  extents, each >= 0; fewer than 2^31 elements
/// @param      order  each of 0 to 3 once
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Both arrays start at a multiple of 16 bytes. Moves 2 * sizeof(float) bytes an element.
cudaError_t permute(float* out, const float* in, Shape shape, Order order);  // rungs 3 to 6
