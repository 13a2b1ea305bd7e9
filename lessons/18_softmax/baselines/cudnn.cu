// link: cudnn
// The library's way: cuDNN's softmax in the mode that subtracts the maximum.
#include <cudnn.h>

#include "softmax.h"

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  struct Library {
    cudnnHandle_t handle = nullptr;
    cudnnTensorDescriptor_t shape = nullptr;
    bool ready = cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS &&
                 cudnnCreateTensorDescriptor(&shape) == CUDNN_STATUS_SUCCESS;
  };
  static const Library library;  // made once; the first run, which is not timed, pays for it
  if (!library.ready) return cudaErrorInitializationError;
  const float one = 1.0f, zero = 0.0f;
  if (cudnnSetTensor4dDescriptor(library.shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, rows, cols, 1, 1) !=
      CUDNN_STATUS_SUCCESS)
    return cudaErrorInvalidValue;
  const cudnnStatus_t status =
      cudnnSoftmaxForward(library.handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one,
                          library.shape, in, &zero, library.shape, out);
  return status == CUDNN_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}
