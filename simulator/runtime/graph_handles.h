// Handles of graphs that programs may use.
#pragma once

#include <unordered_set>

#include "simulator/runtime/graph.h"

namespace sim::runtime {

/// All objects of one type that were not destroyed.
template <class T>
std::unordered_set<T*>& live_handles() {
  static auto& all = *new std::unordered_set<T*>;
  return all;
}

/// @throws ApiError cudaErrorInvalidValue
CUgraph_st& graph_of(cudaGraph_t handle);

}  // namespace sim::runtime
