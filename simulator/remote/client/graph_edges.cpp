// Lists of a graph's nodes and edges on the program's side.
#include <algorithm>

#include "simulator/remote/client/connection.h"
#include "simulator/remote/graph_calls.h"

namespace sim::remote {
namespace {

/// @param count  how many there is room for; gets how many there are
/// @return what the answer has behind it
Unpacker list(Call which, const void* of, Listed listed, std::size_t* count, std::uint32_t lists) {
  const NodesHead head{reinterpret_cast<std::uint64_t>(of), count != nullptr ? *count : 0, listed,
                       lists | (count != nullptr ? kHasParams : 0u)};
  Unpacker from = ask(which, head);
  if (Connection::mine().result() == cudaSuccess) *count = from.take<std::uint64_t>();
  return from;
}

cudaError_t list_nodes(const void* of, Listed listed, cudaGraphNode_t* nodes, std::size_t* count) {
  Unpacker from = list(Call::list_nodes, of, listed, count, nodes != nullptr ? kHasList : 0u);
  const auto result = static_cast<cudaError_t>(Connection::mine().result());
  for (std::size_t i = 0; result == cudaSuccess && nodes != nullptr && i < *count; ++i)
    nodes[i] = from.take<cudaGraphNode_t>();
  return result;
}

cudaError_t list_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
  Unpacker answer = list(Call::list_edges, graph, Listed::all, count,
                         (from != nullptr ? kHasList : 0u) | (to != nullptr ? kHasOtherList : 0u));
  const auto result = static_cast<cudaError_t>(Connection::mine().result());
  for (std::size_t i = 0; result == cudaSuccess && from != nullptr && to != nullptr && i < *count; ++i) {
    from[i] = answer.take<cudaGraphNode_t>();
    to[i] = answer.take<cudaGraphNode_t>();
  }
  return result;
}

cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         std::size_t count, bool removed) {
  if (count > kMostHandles / 2) return cudaErrorInvalidValue;  // no graph has as many edges at once
  Connection& line = Connection::mine();
  Packer message(line.arguments());
  const std::uint32_t has = (from != nullptr ? kHasList : 0u) | (to != nullptr ? kHasOtherList : 0u);
  const EdgesHead head{reinterpret_cast<std::uint64_t>(graph), count, removed, has};
  message.put(&head, sizeof(head));
  for (const cudaGraphNode_t* ends : {from, to})
    if (ends != nullptr) message.put(ends, count * sizeof(*ends));
  (void)line.call(Call::change_edges, message.used());
  return static_cast<cudaError_t>(line.result());
}

}  // namespace
}  // namespace sim::remote

using namespace sim::remote;

extern "C" {

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return list_nodes(graph, Listed::all, nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return list_nodes(graph, Listed::roots, nodes, count);
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                         std::size_t* count) {
  return list_nodes(node, Listed::before, nodes, count);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                           std::size_t* count) {
  return list_nodes(node, Listed::behind, nodes, count);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, std::size_t* count) {
  if (data != nullptr && count != nullptr) std::fill_n(data, *count, cudaGraphEdgeData{});
  return list_edges(graph, from, to, count);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, std::size_t count) {
  return change_edges(graph, from, to, count, false);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
  return change_edges(graph, from, to, count, true);
}
#else
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
  return list_nodes(node, Listed::before, nodes, count);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
  return list_nodes(node, Listed::behind, nodes, count);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              std::size_t* count) {
  return list_edges(graph, from, to, count);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  return change_edges(graph, from, to, count, false);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, std::size_t count) {
  return change_edges(graph, from, to, count, true);
}
#endif

}  // extern "C"
