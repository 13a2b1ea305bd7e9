// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// The extents of a convolution.
struct ConvShape {
  int batch;     ///< images, >= 0
  int channels;  ///< planes of each image, >= 0; where it is 0, all of the result is 0
  int rows;      ///< of each plane, >= 0
  int cols;      ///< of each plane, >= 0
  int filters;   ///< planes of each result, >= 0
  int side;      ///< rows and columns of a filter, >= 1
  int padding;   ///< rows and columns of zeros on each side of a plane, 0 to 32767
  int stride;    ///< from one position of the filter to the next, 1 to 32767
  int dilation;  ///< from one element of the filter to the next, in the image, 1 to 32767

  /// How many positions the filter has along an extent of the image; 0 where it does not fit.
  __host__ __device__ int positions(int extent) const {
    const int room = extent + 2 * padding - dilation * (side - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
  }
  __host__ __device__ int out_rows() const { return positions(rows); }
  __host__ __device__ int out_cols() const { return positions(cols); }
};

/// Slides filters over images: `out[n][f][y][x]` is the sum over c, r and s of
/// `filter[f][c][r][s] * in[n][c][y * stride + r * dilation - padding][x * stride + s * dilation - padding]`,
/// where what lies outside of the image is 0.
///
/// @param[out] out     device, float [batch][filters][out_rows][out_cols] (NCHW); does not overlap the others
/// @param[in]  in      device, float [batch][channels][rows][cols] (NCHW), finite
/// @param[in]  filter  device, float [filters][channels][side][side], finite
/// @param      shape   the extents; channels * rows * cols, channels * side * side, batch * out_rows *
///                     out_cols and dilation * side are below 2^31, whole arrays need not be
/// @return cudaSuccess, or the launch error; where @p out has no element, nothing is launched
/// @note 2 * channels * side * side flop for each element of @p out; needs every array once. Products are
///       added in single precision, in any order.
/// @see  V. Dumoulin and F. Visin, "A guide to convolution arithmetic for deep learning"
cudaError_t conv2d(float* out, const float* in, const float* filter,
                   const ConvShape& shape);  // rungs 1 to 8

constexpr int kScratchChannels = 8, kScratchFilters = 64;  // scratch memory is for whole blocks of so many

/// Room for what a rung makes of the filters, in floats: 16 for each channel of each, rounded up.
constexpr std::size_t scratch_elements(const ConvShape& shape) {
  const std::size_t channels = (shape.channels + kScratchChannels - 1) / kScratchChannels * kScratchChannels;
  const std::size_t filters = (shape.filters + kScratchFilters - 1) / kScratchFilters * kScratchFilters;
  return 16 * channels * filters;
}

/// The same, for a rung that first transforms the filters.
///
/// @param[out] out      as above
/// @param[in]  in       as above
/// @param[in]  filter   as above
/// @param      shape    as above
/// @param      scratch  device, float [scratch_elements(shape)], at a multiple of 256 bytes; what it holds
///                      is undefined before and after
/// @return as above
/// @note Sums and differences of elements may be multiplied in place of them, in single precision.
/// @see  A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks"
cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape,
                   float* scratch);  // rung 9
