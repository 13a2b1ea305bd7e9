// What the functions for graph nodes of any kind say of a node that they cannot make.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace sim::cudart {

enum class NoNode : std::uint64_t { no_params, conditional, semaphore, unchangeable };

/// Notes it as any call does that fails. @return the call's error
cudaError_t refuse_node(NoNode why);

}  // namespace sim::cudart
