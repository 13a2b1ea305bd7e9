// The CUDA driver API (cu…), as far as programs use it beside or below the runtime's. Its handles are the
// runtime's: a CUstream is a cudaStream_t, a CUfunction a Kernel, a CUcontext the device that it is for.
#pragma once

#include <cuda.h>

#include "simulator/cudart/device/device.h"

namespace sim::cudart::driver {

/// The driver's code for one of the runtime's; most are the same number.
CUresult result(cudaError_t code);

inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace sim::cudart::driver
