// New parameters for nodes, in a graph and in one that was instantiated; and the parameters they have.
#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_work.h"

using namespace sim::cudart;

namespace {

/// Gives a node of an instantiated graph other work.
template <class Make>
cudaError_t change(cudaGraphExec_t executable, cudaGraphNode_t node, Make&& make) {
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().contains(executable));
    for (auto& [from, operation] : executable->operations) {
      if (from != node) continue;
      CUgraphNode_st work = captured(make());
      require(work.type == node_of(node).type);
      operation = std::move(work.operation);
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

/// Gives a node of a graph other work, of the kind it has.
template <class Make>
cudaError_t change(cudaGraphNode_t handle, Make&& make, NodeParams params) {
  return api([&](Device&) {
    CUgraphNode_st& node = node_of(handle);
    CUgraphNode_st work = captured(make());
    require(work.type == node.type);
    NodeParams own = kept(std::move(params));
    node.operation = std::move(work.operation);
    node.params = std::move(own);
    return cudaSuccess;
  });
}

/// The parameters that a node was made with. Work that was captured from a stream has none to give.
/// @tparam Kept  as the node has them
template <class Kept, class T>
cudaError_t give(cudaGraphNode_t handle, T* params) {
  return api([&](Device&) {
    require(params);
    const CUgraphNode_st& node = node_of(handle);
    require(node.type != cudaGraphNodeTypeEmpty);
    const Kept* known = std::get_if<Kept>(&node.params);
    if (!known)
      refuse(cudaErrorNotSupported, sim::FindingKind::unsupported,
             "parameters of graph nodes that were captured from a stream are not kept");
    *params = *known;
    return cudaSuccess;
  });
}

constexpr cudaError_t kNoParams = cudaErrorInvalidValue;

}  // namespace

extern "C" {

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  return give<KernelNodeParams>(node, p);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return p ? change(
                 node, [&] { return launch_of(*p); }, KernelNodeParams{*p})
           : last_error() = kNoParams;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  return p ? change(executable, node, [&] { return launch_of(*p); }) : last_error() = kNoParams;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
  return give<cudaMemcpy3DParms>(node, p);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  return p ? change(
                 node, [&] { return copy_of(*p); }, *p)
           : last_error() = kNoParams;
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* p) {
  return p ? change(executable, node, [&] { return copy_of(*p); }) : last_error() = kNoParams;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
  return give<cudaMemsetParams>(node, p);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
  return p ? change(
                 node, [&] { return fill_of(*p); }, *p)
           : last_error() = kNoParams;
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* p) {
  return p ? change(executable, node, [&] { return fill_of(*p); }) : last_error() = kNoParams;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
  return give<cudaHostNodeParams>(node, p);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return p ? change(
                 node, [&] { return call_of(*p); }, *p)
           : last_error() = kNoParams;
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* p) {
  return p ? change(executable, node, [&] { return call_of(*p); }) : last_error() = kNoParams;
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return change(node, [&] { return copy_of(to, from, bytes, kind); }, {});
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return change(executable, node, [&] { return copy_of(to, from, bytes, kind); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return change(executable, node, [&] { return graph_work_of(graph_of(child)); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child) {
  return give<cudaGraph_t>(node, child);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return give<cudaEvent_t>(node, event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return give<cudaEvent_t>(node, event);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change(
      node, [&] { return record_of(event); }, event);
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change(
      node, [&] { return wait_of(event); }, event);
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return change(executable, node, [&] { return record_of(event); });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return change(executable, node, [&] { return wait_of(event); });
}

}  // extern "C"
