// Graphs: attributes of kernel nodes, what is switched off, nodes that cannot be made,
// what a stream captures.
#include <string>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_node_kinds.h"
#include "simulator/cudart/graph/graph_work.h"

using namespace sim::cudart;

namespace {

CUgraphNode_st& kernel_node(cudaGraphNode_t handle) {
  CUgraphNode_st& node = node_of(handle);
  require(node.type == cudaGraphNodeTypeKernel);
  return node;
}

}  // namespace

namespace sim::cudart {

cudaError_t refuse_node(NoNode why) {
  if (why == NoNode::no_params) return last_error() = cudaErrorInvalidValue;
  return api([&](Device&) -> cudaError_t {
    const char* const what = why == NoNode::conditional ? "conditional"
                             : why == NoNode::semaphore ? "external semaphores"
                                                        : "this one cannot be changed";
    refuse(cudaErrorNotSupported, FindingKind::unsupported,
           std::string("graph nodes of this kind are not simulated: ") + what);
  });
}

}  // namespace sim::cudart

extern "C" {

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
