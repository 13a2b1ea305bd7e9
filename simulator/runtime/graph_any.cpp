// Nodes of any kind through one structure: cudaGraphAddNode and what goes with it.
#include <cuda_runtime_api.h>

#include "simulator/runtime/device.h"

#if CUDART_VERSION >= 13000

using namespace sim::runtime;

namespace {

cudaKernelNodeParams kernel_of(const cudaKernelNodeParamsV2& p) {
  return {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
}
cudaMemsetParams fill_of(const cudaMemsetParamsV2& p) {
  return {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
}
cudaHostNodeParams call_of(const cudaHostNodeParamsV2& p) { return {p.fn, p.userData}; }

cudaError_t missing(const char* what) {
  return api([&](Device&) -> cudaError_t {
    refuse(cudaErrorNotSupported, "unsupported",
           std::string("graph nodes of this kind are not simulated: ") + what);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
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
      return missing("conditional");
    default:
      return missing("external semaphores");
  }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
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
      return missing("this one cannot be changed");
  }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
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
      return missing("this one cannot be changed");
  }
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
  const cudaError_t code = cudaGraphInstantiateWithFlags(executable, graph, p->flags);
  p->errNode_out = nullptr;
  p->result_out = code == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return code;
}

}  // extern "C"

#endif
