// Nodes of any kind through one structure: cudaGraphAddNode and what goes with it.
// A program whose simulator is another process has these as they are.
#include "simulator/cudart/graph/graph_node_kinds.h"

#if CUDART_VERSION >= 13000

using namespace sim::cudart;

namespace {

cudaKernelNodeParams kernel_of(const cudaKernelNodeParamsV2& p) {
  return {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
}
cudaMemsetParams fill_of(const cudaMemsetParamsV2& p) {
  return {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
}
cudaHostNodeParams call_of(const cudaHostNodeParamsV2& p) { return {p.fn, p.userData}; }

}  // namespace

extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
  if (!p) return refuse_node(NoNode::no_params);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams kernel = kernel_of(p->kernel);
      return cudaGraphAddKernelNode(node, graph, after, count, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams fill = fill_of(p->memset);
      return cudaGraphAddMemsetNode(node, graph, after, count, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams call = call_of(p->host);
      return cudaGraphAddHostNode(node, graph, after, count, &call);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, after, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, after, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams memory{};
      memory.bytesize = p->alloc.bytesize;
      const cudaError_t code = cudaGraphAddMemAllocNode(node, graph, after, count, &memory);
      p->alloc.dptr = memory.dptr;
      return code;
    }
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, after, count, p->free.dptr);
    case cudaGraphNodeTypeConditional:
      return refuse_node(NoNode::conditional);
    default:
      return refuse_node(NoNode::semaphore);
  }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  if (!p) return refuse_node(NoNode::no_params);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams kernel = kernel_of(p->kernel);
      return cudaGraphKernelNodeSetParams(node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams fill = fill_of(p->memset);
      return cudaGraphMemsetNodeSetParams(node, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams call = call_of(p->host);
      return cudaGraphHostNodeSetParams(node, &call);
    }
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphEventWaitNodeSetEvent(node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
    default:
      return refuse_node(NoNode::unchangeable);
  }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* p) {
  if (!p) return refuse_node(NoNode::no_params);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams kernel = kernel_of(p->kernel);
      return cudaGraphExecKernelNodeSetParams(executable, node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphExecMemcpyNodeSetParams(executable, node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams fill = fill_of(p->memset);
      return cudaGraphExecMemsetNodeSetParams(executable, node, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams call = call_of(p->host);
      return cudaGraphExecHostNodeSetParams(executable, node, &call);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphExecChildGraphNodeSetParams(executable, node, p->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphExecEventWaitNodeSetEvent(executable, node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphExecEventRecordNodeSetEvent(executable, node, p->eventRecord.event);
    default:
      return refuse_node(NoNode::unchangeable);
  }
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* p) {
  if (!p) return refuse_node(NoNode::no_params);
  const cudaError_t code = cudaGraphInstantiateWithFlags(executable, graph, p->flags);
  p->errNode_out = nullptr;
  p->result_out = code == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return code;
}

}  // extern "C"

#endif
