// link: cudnn
// The library's way, by the fastest of its methods: here one that transforms pieces of the images first, and
// then needs fewer multiplications (FFT). One is left out: its Winograd way rounds too much
// for this lesson's tolerance (its largest error on an H200 was four times that).
#include "cudnn_library.h"

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  return convolve(out, in, filter, shape, [](cudnnConvolutionFwdAlgo_t method) {
    return method != CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED;
  });
}
