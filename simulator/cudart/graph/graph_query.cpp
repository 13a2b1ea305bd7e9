// Graphs looked at: their nodes, edges and types; copies of them; nodes taken out.
#include <algorithm>
#include <map>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_work.h"
#include "simulator/cudart/report/open_objects.h"

using namespace sim::cudart;

namespace {

/// Gives a list as CUDA's functions do: as many as there is room for; the count alone where
/// there is no array.
cudaError_t give(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* nodes, std::size_t* count) {
  require(count);
  const std::size_t room = nodes ? std::min(*count, all.size()) : 0;
  std::copy_n(all.begin(), room, nodes);
  *count = nodes ? room : all.size();
  return cudaSuccess;
}

cudaError_t give_edges(const CUgraph_st& graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                       std::size_t* count) {
  require(count);
  std::size_t edges = 0;
  for (const auto& node : graph.nodes()) {
    for (cudaGraphNode_t before : node->after) {
      if (from && to && edges < *count) from[edges] = before, to[edges] = node.get();
      ++edges;
    }
  }
  *count = from && to ? std::min(*count, edges) : edges;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return api([&](Device&) {
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : graph_of(graph).nodes()) all.push_back(node.get());
    return give(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return api([&](Device&) {
    std::vector<cudaGraphNode_t> roots;
    for (const auto& node : graph_of(graph).nodes())
      if (node->after.empty()) roots.push_back(node.get());
    return give(roots, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return api([&](Device&) {
    require(type);
    *type = node_of(node).type;
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, std::size_t* count) {
  if (data && count) std::fill_n(data, *count, cudaGraphEdgeData{});
#else
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              std::size_t* count) {
#endif
  return api([&](Device&) { return give_edges(graph_of(graph), from, to, count); });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                         std::size_t* count) {
#else
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
#endif
  return api([&](Device&) { return give(node_of(node).after, nodes, count); });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                           std::size_t* count) {
#else
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
#endif
  return api([&](Device&) {
    std::vector<cudaGraphNode_t> later;
    for (const auto& other : node_of(node).graph->nodes())
      if (std::count(other->after.begin(), other->after.end(), node) > 0) later.push_back(other.get());
    return give(later, nodes, count);
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original, cudaGraph_t clone) {
  return api([&](Device&) {
    require(found && original);
    for (const auto& node : graph_of(clone).nodes()) {
      if (node->original != original) continue;
      *found = node.get();
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled) {
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().contains(executable));
    for (auto& [from, operation] : executable->operations) {
      if (from != node) continue;
      operation = enabled ? node_of(node).operation : Operation{};
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api([&](Device&) {
    node_of(node).graph->remove(node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t handle) {
  return api([&](Device&) {
    require(clone);
    const CUgraph_st& graph = graph_of(handle);
    auto* fresh = new CUgraph_st;
    std::map<const CUgraphNode_st*, CUgraphNode_st*> copies;
    for (const auto& node : graph.nodes()) {
      CUgraphNode_st* copy = copies[node.get()] = fresh->add(node->operation, node->type);
      copy->params = node->params;
      copy->original = node.get();
    }
    for (const auto& node : graph.nodes())
      for (const CUgraphNode_st* before : node->after) copies[node.get()]->after.push_back(copies.at(before));
    live_handles<CUgraph_st>().insert(fresh);
    opened(Object::graph, fresh);
    *clone = fresh;
    return cudaSuccess;
  });
}

}  // extern "C"
