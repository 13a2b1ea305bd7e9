// Kernel launches: checks as the driver's, execution, and what the launch costs on the modelled clock.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/cudart/module/registry.h"

namespace sim::cudart {

struct LaunchRequest {
  dim3 grid{1, 1, 1};
  dim3 block{1, 1, 1};
  std::size_t dynamic_shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};  ///< that the launch asks for, in blocks; 0: none
};

/// Checks and submits a launch. @param arguments one pointer per parameter
/// @throws ApiError after reporting what is wrong
void launch(Kernel& kernel, const LaunchRequest& request, void** arguments);

/// Refuses a launch, and tells what from why. @throws ApiError
[[noreturn]] void refuse_launch(cudaError_t code, const Kernel& kernel, const Message& what,
                                const Message& why);

/// The most dynamic shared memory a launch of this kernel may ask for, bytes.
std::uint32_t dynamic_shared_limit(const Kernel& kernel, const exec::KernelFacts& facts);

}  // namespace sim::cudart
