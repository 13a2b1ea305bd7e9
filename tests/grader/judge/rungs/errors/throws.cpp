// Lets an exception out.
#include <stdexcept>

#include "saxpy.h"

cudaError_t saxpy(float*, const float*, const float*, int) { throw std::runtime_error("no idea"); }
