// Reports an error of its own.
#include "saxpy.h"

cudaError_t saxpy(float*, const float*, const float*, int) { return cudaErrorInvalidConfiguration; }
