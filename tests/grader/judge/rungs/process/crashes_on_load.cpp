// A global object's constructor aborts.
#include <cstdlib>

#include "saxpy.h"

static const bool loaded = [] {
  std::abort();
  return true;
}();

cudaError_t saxpy(float*, const float*, const float*, int) { return loaded ? cudaSuccess : cudaErrorUnknown; }
