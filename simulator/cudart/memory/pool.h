// Who may access memory that came from a pool.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "simulator/memory/address_space.h"

namespace sim::cudart {

/// Notes that memory came from the pool that its device uses now.
void comes_from_current_pool(const memory::Allocation& fresh);

/// Whether cudaMemPoolSetAccess let another device access the pool that the memory came from.
bool pool_opens(const memory::Allocation& memory, int to_device);

/// The body of cudaMallocAsync, under the name of another call.
cudaError_t malloc_from_current_pool(void** pointer, std::size_t bytes, cudaStream_t stream,
                                     const char* call);

}  // namespace sim::cudart
