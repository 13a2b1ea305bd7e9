// The contract of the lesson: three functions, of which a rung defines one.
#pragma once

#include <cuda_runtime_api.h>

/// The extents of a convolution in three dimensions. Filters are cubes; stride and dilation are 1.
struct Conv3dShape {
  int batch;     ///< volumes, >= 0
  int channels;  ///< of each volume, >= 0; where it is 0, all of the result is 0
  int depth;     ///< planes of each channel, >= 0
  int rows;      ///< of each plane, >= 0
  int cols;      ///< of each plane, >= 0
  int filters;   ///< channels of each result, >= 0
  int side;      ///< of a filter, 1 to 5
  int padding;   ///< zeros on each side of a volume, along all three axes, 0 to 32767

  /// How many positions the filter has along an extent; 0 where it does not fit.
  __host__ __device__ int positions(int extent) const {
    const int room = extent + 2 * padding - side + 1;
    return room < 0 ? 0 : room;
  }
  __host__ __device__ int out_depth() const { return positions(depth); }
  __host__ __device__ int out_rows() const { return positions(rows); }
  __host__ __device__ int out_cols() const { return positions(cols); }
};

/// Slides filters through volumes: `out[n][f][z][y][x]` is the sum over c, t, r and s of
/// `filter[f][c][t][r][s] * in[n][c][z + t - padding][y + r - padding][x + s - padding]`, where what lies
/// outside of the volume is 0.
///
/// @param[out] out     device, float [batch][filters][out_depth][out_rows][out_cols] (NCDHW); overlaps
///                     neither of the others
/// @param[in]  in      device, float [batch][channels][depth][rows][cols] (NCDHW), finite
/// @param[in]  filter  device, float [filters][channels][side][side][side], finite
/// @param      shape   the extents; a channel of @p in or of @p out has fewer than 2^31 elements, the
///                     whole arrays may have more
/// @return cudaSuccess, or the launch error; where @p out has no element, nothing is launched
/// @note 2 * channels * side^3 flop for each element of @p out; needs every array once. Products are added in
///       single precision, in any order.
cudaError_t conv3d(float* out, const float* in, const float* filter,
                   const Conv3dShape& shape);  // rungs 1 to 4

/// The extents of a pooling.
struct PoolShape {
  int planes;   ///< images times channels, >= 0
  int rows;     ///< of each plane, >= 0
  int cols;     ///< of each plane, >= 0
  int window;   ///< rows and columns of a window, 1 to 16
  int stride;   ///< from one window to the next, 1 to 4
  int padding;  ///< how far windows reach beyond a plane, 0 to window - 1: each holds an element of it

  /// How many windows there are along an extent.
  __host__ __device__ int positions(int extent) const {
    const int room = extent + 2 * padding - window;
    return extent == 0 || room < 0 ? 0 : room / stride + 1;
  }
  __host__ __device__ int out_rows() const { return positions(rows); }
  __host__ __device__ int out_cols() const { return positions(cols); }
};

/// The largest element of each window: `out[p][y][x]` is the maximum of `in[p][row][col]` for the rows from
/// `y * stride - padding` on and the columns from `x * stride - padding` on, `window` of them each, that lie
/// within the plane. What lies outside counts for nothing; it is not a zero.
///
/// @param[out] out    device, float [planes][out_rows][out_cols]; does not overlap @p in
/// @param[in]  in     device, float [planes][rows][cols], infinities included, no NaN
/// @param      shape  the extents; a plane has fewer than 2^31 elements, whole arrays may have more
/// @return cudaSuccess, or the launch error; where @p out has no element, nothing is launched
/// @note Needs every array once; 0 flop.
cudaError_t max_pool(float* out, const float* in, const PoolShape& shape);  // rungs 5 to 8

/// The largest element of each plane: `out[p]` is the maximum of `in[p][0]` to `in[p][pixels - 1]`.
///
/// @param[out] out     device, float [planes]; does not overlap @p in
/// @param[in]  in      device, float [planes][pixels], infinities included, no NaN
/// @param      planes  >= 0; 0 launches nothing
/// @param      pixels  >= 1; the whole array may have 2^31 elements or more
/// @return cudaSuccess, or the launch error
/// @note Reads planes * pixels * sizeof(float) bytes; 0 flop.
cudaError_t global_max_pool(float* out, const float* in, int planes, int pixels);  // rungs 9 to 11
