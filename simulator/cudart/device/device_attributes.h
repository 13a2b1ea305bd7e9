// What a device says of itself.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/model/gpu.h"

namespace sim::cudart {

/// @return cudaErrorInvalidValue where CUDA has no such attribute
cudaError_t attribute_of(int& value, cudaDeviceAttr which, const model::Gpu& gpu);

void fill_properties(cudaDeviceProp& properties, const model::Gpu& gpu, int ordinal);

}  // namespace sim::cudart
