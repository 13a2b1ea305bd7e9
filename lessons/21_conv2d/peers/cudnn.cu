// link: cudnn
// The library's way, by the fastest of its methods: here one that transforms pieces of the images first, and
// then needs fewer multiplications (FFT, Winograd).
#include "cudnn_library.h"

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  return convolve(out, in, filter, shape, [](cudnnConvolutionFwdAlgo_t) { return true; });
}
