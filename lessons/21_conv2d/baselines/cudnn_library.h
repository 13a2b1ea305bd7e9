// cuDNN's convolution in single precision, for this lesson's baselines.
#pragma once

#include <cudnn.h>

#include <cstring>

#include "conv2d.h"

/// Whether one of the library's methods may be taken.
using Wanted = bool (*)(cudnnConvolutionFwdAlgo_t);

/// The library's handle, what it is told of the arrays, and the method that it is to use.
struct Library {
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t in = nullptr, out = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  void* workspace = nullptr;
  std::size_t bytes = 0;
  bool ready = cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS &&
               cudnnCreateTensorDescriptor(&in) == CUDNN_STATUS_SUCCESS &&
               cudnnCreateTensorDescriptor(&out) == CUDNN_STATUS_SUCCESS &&
               cudnnCreateFilterDescriptor(&filter) == CUDNN_STATUS_SUCCESS &&
               cudnnCreateConvolutionDescriptor(&convolution) == CUDNN_STATUS_SUCCESS;

  /// Tells the library the extents. @return whether it takes them
  bool describe(const ConvShape& s) {
    return cudnnSetTensor4dDescriptor(in, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, s.batch, s.channels, s.rows,
                                      s.cols) == CUDNN_STATUS_SUCCESS &&
           cudnnSetTensor4dDescriptor(out, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, s.batch, s.filters,
                                      s.out_rows(), s.out_cols()) == CUDNN_STATUS_SUCCESS &&
           cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, s.filters, s.channels,
                                      s.side, s.side) == CUDNN_STATUS_SUCCESS &&
           cudnnSetConvolution2dDescriptor(convolution, s.padding, s.padding, s.stride, s.stride, s.dilation,
                                           s.dilation, CUDNN_CROSS_CORRELATION,
                                           CUDNN_DATA_FLOAT) == CUDNN_STATUS_SUCCESS &&
           // In float throughout: without this, factors may be rounded to the 11 bits of TF32.
           cudnnSetConvolutionMathType(convolution, CUDNN_FMA_MATH) == CUDNN_STATUS_SUCCESS;
  }

  ConvShape known = {};  ///< what `best` is for
  cudnnConvolutionFwdAlgoPerf_t best = {};

  /// Tries all methods, once for every new shape, and makes room for the scratch data of the fastest that is
  /// wanted. It takes far longer than the convolution: the first run of a shape, which is not timed, pays.
  bool prepare(const ConvShape& shape, Wanted wanted) {
    if (std::memcmp(&shape, &known, sizeof(shape)) == 0) return true;
    cudnnConvolutionFwdAlgoPerf_t methods[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
    int count = 0, first = 0;  // the fastest come first
    if (!describe(shape) || cudnnFindConvolutionForwardAlgorithm(handle, in, filter, convolution, out,
                                                                 CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count,
                                                                 methods) != CUDNN_STATUS_SUCCESS)
      return false;
    while (first < count && (methods[first].status != CUDNN_STATUS_SUCCESS ||
                             methods[first].mathType != CUDNN_FMA_MATH || !wanted(methods[first].algo)))
      ++first;
    if (first == count) return false;
    best = methods[first];
    if (best.memory > bytes) {
      cudaFree(workspace);
      workspace = nullptr;
      bytes = cudaMalloc(&workspace, best.memory) == cudaSuccess ? best.memory : 0;
      if (bytes == 0) return false;
    }
    known = shape;
    return true;
  }
};

/// conv2d() by the fastest of the wanted methods.
///
/// @param[out] out     as in conv2d()
/// @param[in]  in      as in conv2d()
/// @param[in]  filter  as in conv2d()
/// @param      shape   as in conv2d()
/// @param      wanted  says which of the library's methods may be taken
/// @return cudaSuccess; cudaErrorInitializationError without a usable library, cudaErrorInvalidValue where no
///         wanted method can do it, cudaErrorUnknown if it fails
inline cudaError_t convolve(float* out, const float* in, const float* filter, const ConvShape& shape,
                            Wanted wanted) {
  const std::size_t pixels = static_cast<std::size_t>(shape.out_rows()) * shape.out_cols();
  const std::size_t elements = pixels * shape.batch * shape.filters;
  if (elements == 0) return cudaSuccess;
  // An image of nothing but padding: the library takes no array without elements.
  if (shape.channels == 0 || shape.rows == 0 || shape.cols == 0)
    return cudaMemsetAsync(out, 0, elements * sizeof(float));
  static Library library;  // made once; the first run, which is not timed, pays for it
  if (!library.ready) return cudaErrorInitializationError;
  if (!library.prepare(shape, wanted)) return cudaErrorInvalidValue;
  const float one = 1.0f, zero = 0.0f;
  const cudnnStatus_t status = cudnnConvolutionForward(
      library.handle, &one, library.in, in, library.filter, filter, library.convolution, library.best.algo,
      library.workspace, library.bytes, &zero, library.out, out);
  return status == CUDNN_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}
