// Handles of graphs that programs may use.
#pragma once

#include <unordered_set>

#include "simulator/cudart/graph/graph.h"

namespace sim::cudart {

/// All objects of one type that were not destroyed.
template <class T>
std::unordered_set<T*>& live_handles() {
  static auto& all = *new std::unordered_set<T*>;
  return all;
}

/// @throws ApiError cudaErrorInvalidValue
CUgraph_st& graph_of(cudaGraph_t handle);

/// The capture under way that an event was recorded in; null when there is none.
Graph* capture_of(const CUevent_st& event);

/// Ends the call, and every capture that forbids it, where the call could wait for the device or is otherwise
/// unsafe beside a capture; cudaThreadExchangeStreamCaptureMode can allow it. @throws ApiError
void forbid_beside_captures();

}  // namespace sim::cudart
