// Checks a launch that was refused with CUDA_CHECK, as the rungs of lesson 01 do.
#include "common/cuda_check.h"
#include "saxpy.h"

cudaError_t saxpy(float*, const float*, const float*, int) {
  const auto launch = [] { return cudaErrorInvalidConfiguration; };
  CUDA_CHECK(launch());
  return cudaSuccess;
}
