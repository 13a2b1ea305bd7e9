// Graphs: copies to and from symbols, attributes of kernel nodes, what is switched off, a drawing, what a
// stream captures.
#include <cstdio>

#include "simulator/runtime/device.h"
#include "simulator/runtime/graph_work.h"

using namespace sim::runtime;

namespace {

/// A variable's bytes from an offset on. @return the error of asking for its address
cudaError_t symbol_place(const void* symbol, std::size_t offset, void** place) {
  void* start = nullptr;
  const cudaError_t code = cudaGetSymbolAddress(&start, symbol);
  *place = static_cast<char*>(start) + offset;
  return code;
}

const char* kind_of(cudaGraphNodeType type) {
  static constexpr const char* kNames[] = {
      "kernel",     "memcpy",       "memset",           "host",           "graph",      "empty",
      "event wait", "event record", "semaphore signal", "semaphore wait", "allocation", "free"};
  return type >= 0 && type < static_cast<int>(std::size(kNames)) ? kNames[type] : "other";
}

CUgraphNode_st& kernel_node(cudaGraphNode_t handle) {
  CUgraphNode_st& node = node_of(handle);
  require(node.type == cudaGraphNodeTypeKernel);
  return node;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  void* to = nullptr;
  const cudaError_t code = symbol_place(symbol, offset, &to);
  return code != cudaSuccess ? code
                             : cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, std::size_t count, void* to,
                                             const void* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
  void* from = nullptr;
  const cudaError_t code = symbol_place(symbol, offset, &from);
  return code != cudaSuccess ? code
                             : cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  void* to = nullptr;
  const cudaError_t code = symbol_place(symbol, offset, &to);
  return code != cudaSuccess ? code : cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   std::size_t bytes, std::size_t offset,
                                                   cudaMemcpyKind kind) {
  void* from = nullptr;
  const cudaError_t code = symbol_place(symbol, offset, &from);
  return code != cudaSuccess ? code : cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const void* symbol, const void* from, std::size_t bytes,
                                                     std::size_t offset, cudaMemcpyKind kind) {
  void* to = nullptr;
  const cudaError_t code = symbol_place(symbol, offset, &to);
  return code != cudaSuccess ? code
                             : cudaGraphExecMemcpyNodeSetParams1D(executable, node, to, from, bytes, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       void* to, const void* symbol, std::size_t bytes,
                                                       std::size_t offset, cudaMemcpyKind kind) {
  void* from = nullptr;
  const cudaError_t code = symbol_place(symbol, offset, &from);
  return code != cudaSuccess ? code
                             : cudaGraphExecMemcpyNodeSetParams1D(executable, node, to, from, bytes, kind);
}

/// Attributes of kernel nodes steer caches and priorities; none changes a result, and none is kept.
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID,
                                            const cudaLaunchAttributeValue* value) {
  return api([&](Device&) {
    kernel_node(node);
    require(value);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID,
                                            cudaLaunchAttributeValue* value) {
  return api([&](Device&) {
    kernel_node(node);
    require(value);
    *value = {};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return api([&](Device&) {
    kernel_node(to), kernel_node(from);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled) {
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().contains(executable) && enabled);
    for (const auto& [from, operation] : executable->operations) {
      if (from != node) continue;
      *enabled = operation || !node_of(node).operation;
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

/// Nodes and edges in Graphviz's language.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
  return api([&](Device&) {
    const CUgraph_st& graph = graph_of(handle);
    require(path);
    std::FILE* const file = std::fopen(path, "w");
    require(file, cudaErrorOperatingSystem);
    std::fprintf(file, "digraph dot {\n");
    std::map<const CUgraphNode_st*, int> numbers;
    for (const auto& node : graph.nodes()) {
      const int number = numbers[node.get()] = static_cast<int>(numbers.size());
      std::fprintf(file, "  n%d [label=\"%d: %s\"];\n", number, number, kind_of(node->type));
    }
    for (const auto& node : graph.nodes())
      for (const CUgraphNode_st* before : node->after)
        std::fprintf(file, "  n%d -> n%d;\n", numbers[before], numbers[node.get()]);
    std::fprintf(file, "}\n");
    std::fclose(file);
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  return api([&](Device&) {
    require(status);
    CUstream_st& stream = stream_of(handle);
    const cudaError_t code = cudaStreamIsCapturing(handle, status);
    if (code != cudaSuccess || *status != cudaStreamCaptureStatusActive) return code;
    if (id) *id = stream.id;
    if (graph) *graph = static_cast<CUgraph_st*>(stream.capture);
    if (after) *after = stream.captured_last.data();
    if (edges) *edges = nullptr;
    if (count) *count = stream.captured_last.size();
    return cudaSuccess;
  });
}
#endif

cudaError_t cudaDeviceGraphMemTrim(int id) {
  return api([&](Device&) {
    device(id);  // it exists; nothing is kept back
    return cudaSuccess;
  });
}

/// Memory of graphs is counted with all other memory.
cudaError_t cudaDeviceGetGraphMemAttribute(int id, cudaGraphMemAttributeType, void* value) {
  return api([&](Device&) {
    device(id);  // it exists
    require(value);
    *static_cast<unsigned long long*>(value) = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int id, cudaGraphMemAttributeType, void* value) {
  return api([&](Device&) {
    device(id);  // it exists
    require(value && *static_cast<unsigned long long*>(value) == 0);
    return cudaSuccess;
  });
}

}  // extern "C"
