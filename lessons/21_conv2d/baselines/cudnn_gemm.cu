// link: cudnn
// The library's way, by a matrix product, as in rungs 5 to 8: every multiplication is done.
#include "cudnn_library.h"

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  return convolve(out, in, filter, shape, [](cudnnConvolutionFwdAlgo_t method) {
    return method == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
           method == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  });
}
