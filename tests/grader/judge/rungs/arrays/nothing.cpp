// Writes nothing.
#include "saxpy.h"

cudaError_t saxpy(float*, const float*, const float*, int) { return cudaSuccess; }
