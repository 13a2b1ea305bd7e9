// link: cudnn
// The library's way: cuDNN's convolution in three dimensions and single precision, by the fastest of its
// methods.
#include <cudnn.h>

#include <cstring>

#include "conv3d_and_maxpool.h"

namespace {

constexpr int kAxes = 5;  // volume, channel, plane, row, column

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

  static bool describe(cudnnTensorDescriptor_t tensor, const int (&extent)[kAxes]) {
    int stride[kAxes];
    stride[kAxes - 1] = 1;
    for (int k = kAxes - 1; k > 0; --k) stride[k - 1] = stride[k] * extent[k];
    return cudnnSetTensorNdDescriptor(tensor, CUDNN_DATA_FLOAT, kAxes, extent, stride) ==
           CUDNN_STATUS_SUCCESS;
  }

  bool describe(const Conv3dShape& s) {
    const int filters[kAxes] = {s.filters, s.channels, s.side, s.side, s.side};
    const int padding[3] = {s.padding, s.padding, s.padding}, ones[3] = {1, 1, 1};
    return describe(in, {s.batch, s.channels, s.depth, s.rows, s.cols}) &&
           describe(out, {s.batch, s.filters, s.out_depth(), s.out_rows(), s.out_cols()}) &&
           cudnnSetFilterNdDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, kAxes, filters) ==
               CUDNN_STATUS_SUCCESS &&
           cudnnSetConvolutionNdDescriptor(convolution, 3, padding, ones, ones, CUDNN_CROSS_CORRELATION,
                                           CUDNN_DATA_FLOAT) == CUDNN_STATUS_SUCCESS &&
           // In float throughout: without this, factors may be rounded to the 11 bits of TF32.
           cudnnSetConvolutionMathType(convolution, CUDNN_FMA_MATH) == CUDNN_STATUS_SUCCESS;
  }

  Conv3dShape known = {};  ///< what `best` is for
  cudnnConvolutionFwdAlgoPerf_t best = {};

  /// Tries all methods, once for every new shape, and makes room for the scratch data of the fastest. It
  /// takes far longer than the convolution: the first run of a shape, which is not timed, pays.
  bool prepare(const Conv3dShape& shape) {
    if (std::memcmp(&shape, &known, sizeof(shape)) == 0) return true;
    cudnnConvolutionFwdAlgoPerf_t methods[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
    int count = 0, first = 0;  // the fastest come first
    if (!describe(shape) || cudnnFindConvolutionForwardAlgorithm(handle, in, filter, convolution, out,
                                                                 CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count,
                                                                 methods) != CUDNN_STATUS_SUCCESS)
      return false;
    while (first < count &&
           (methods[first].status != CUDNN_STATUS_SUCCESS || methods[first].mathType != CUDNN_FMA_MATH))
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

}  // namespace

cudaError_t conv3d(float* out, const float* in, const float* filter, const Conv3dShape& shape) {
  const std::size_t voxels =
      static_cast<std::size_t>(shape.out_depth()) * shape.out_rows() * shape.out_cols();
  const std::size_t elements = voxels * shape.batch * shape.filters;
  if (elements == 0) return cudaSuccess;
  // A volume of nothing but padding: the library takes no array without elements.
  if (shape.channels == 0 || shape.depth == 0 || shape.rows == 0 || shape.cols == 0)
    return cudaMemsetAsync(out, 0, elements * sizeof(float));
  static Library library;  // made once; the first run, which is not timed, pays for it
  if (!library.ready) return cudaErrorInitializationError;
  if (!library.prepare(shape)) return cudaErrorInvalidValue;
  const float one = 1.0f, zero = 0.0f;
  const cudnnStatus_t status = cudnnConvolutionForward(
      library.handle, &one, library.in, in, library.filter, filter, library.convolution, library.best.algo,
      library.workspace, library.bytes, &zero, library.out, out);
  return status == CUDNN_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}
