// Graphs built node by node. A node's work is captured from the ordinary call on a stream of its own, so that
// it is checked and executed by the same code.
#include <algorithm>

#include "simulator/runtime/copy.h"
#include "simulator/runtime/device.h"
#include "simulator/runtime/graph_handles.h"
#include "simulator/runtime/launch.h"

using namespace sim::runtime;

namespace {

/// A node, in no graph yet, with the operation that @p call submits to the stream it is given.
template <class Call>
CUgraphNode_st captured(Call&& call) {
  Graph graph;
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream) == cudaSuccess);
  stream->capture = &graph;
  try {
    call(stream);
  } catch (...) {
    stream->capture = nullptr;
    cudaStreamDestroy(stream);
    throw;
  }
  stream->capture = nullptr;
  cudaStreamDestroy(stream);
  if (graph.nodes().empty()) return {};
  return {nullptr, graph.nodes()[0]->operation, {}, graph.nodes()[0]->type};
}

/// Adds a node that runs what @p call submits.
template <class Call>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* after,
                     std::size_t count, Call&& call) {
  return api([&](Device&) {
    CUgraph_st& graph = graph_of(handle);
    require(node && (after || count == 0));
    for (std::size_t i = 0; i < count; ++i) require(after[i] && after[i]->graph == &graph);
    CUgraphNode_st work = captured(call);
    CUgraphNode_st* fresh = graph.add(std::move(work.operation), work.type);
    fresh->after.assign(after, after + count);
    *node = fresh;
    return cudaSuccess;
  });
}

auto launch_of(const cudaKernelNodeParams& p) {
  return [&p](cudaStream_t stream) {
    require(p.kernelParams, cudaErrorNotSupported);
    launch(registry().kernel(p.func), {p.gridDim, p.blockDim, p.sharedMemBytes, stream, false},
           p.kernelParams);
  };
}

auto copy_of(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return [=](cudaStream_t stream) { copy(to, from, bytes, "a graph's copy", kind, stream, false); };
}

auto fill_of(const cudaMemsetParams* p) {
  return [p](cudaStream_t stream) {
    require(p);
    const auto byte = static_cast<unsigned char>(p->value);
    const unsigned pattern = p->elementSize == 4   ? byte * 0x01010101u
                             : p->elementSize == 2 ? byte * 0x0101u
                                                   : byte;
    require(p->value == pattern, cudaErrorNotSupported);  // only values whose bytes are equal
    const std::size_t width = p->width * p->elementSize;
    const std::size_t pitch = p->height > 1 ? p->pitch : width;
    set_block({p->dst, pitch, p->height}, byte, {width, p->height, 1}, "a graph's fill", stream);
  };
}

auto host_call_of(const cudaHostNodeParams* p) {
  return [p](cudaStream_t stream) {
    require(p && cudaLaunchHostFunc(stream, p->fn, p->userData) == cudaSuccess);
  };
}

/// Gives a node of an instantiated graph other work.
template <class Call>
cudaError_t change(cudaGraphExec_t executable, cudaGraphNode_t node, Call&& call) {
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().contains(executable));
    for (auto& [from, operation] : executable->operations) {
      if (from != node) continue;
      operation = captured(call).operation;
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

/// Runs a copy of a graph's nodes as one.
Operation all_of(const CUgraph_st& graph) {
  std::vector<Operation> operations;
  for (const CUgraphNode_st* node : graph.ordered())
    if (node->operation) operations.push_back(node->operation);
  return [operations = std::move(operations)](CUstream_st& on) {
    for (const Operation& operation : operations) operation(on);
  };
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return add_node(node, graph, after, count, [&](cudaStream_t stream) {
    submit(*stream, all_of(graph_of(child)), cudaGraphNodeTypeGraph);
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count, cudaEvent_t event) {
  return add_node(node, graph, after, count, [&](cudaStream_t stream) {
    const auto record = [event = &event_of(event)](CUstream_st& on) {
      if (!is_live(event)) return;
      event->time = on.device->clock.earliest(on);
      event->recorded = true;
    };
    submit(*stream, record, cudaGraphNodeTypeEventRecord);
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      std::size_t count, cudaEvent_t event) {
  return add_node(node, graph, after, count, [&](cudaStream_t stream) {
    const auto wait = [event = &event_of(event)](CUstream_st& on) {
      if (is_live(event) && event->recorded) on.ready = std::max(on.ready, event->time);
    };
    submit(*stream, wait, cudaGraphNodeTypeWaitEvent);
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return add_node(node, graph, after, count, [](cudaStream_t) {});
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
  return add_node(node, graph, after, count, launch_of(*p));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_node(node, graph, after, count, copy_of(to, from, bytes, kind));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* p) {
  return add_node(node, graph, after, count,
                  [&](cudaStream_t stream) { require(cudaMemcpy3DAsync(p, stream) == cudaSuccess); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* p) {
  return add_node(node, graph, after, count, fill_of(p));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* p) {
  return add_node(node, graph, after, count, host_call_of(p));
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, std::size_t count) {
#else
cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
#endif
  return api([&](Device&) {
    graph_of(handle);
    require((from && to) || count == 0);
    for (std::size_t i = 0; i < count; ++i) {
      require(from[i] && to[i] && from[i]->graph == handle && to[i]->graph == handle);
      to[i]->after.push_back(from[i]);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
  return change(executable, node, launch_of(*p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return change(executable, node, copy_of(to, from, bytes, kind));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* p) {
  return change(executable, node, fill_of(p));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* p) {
  return change(executable, node, host_call_of(p));
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return api([&](Device&) {
    require(node && p);
    node->operation = captured(launch_of(*p)).operation;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return api([&](Device&) {
    require(node);
    node->operation = captured(copy_of(to, from, bytes, kind)).operation;
    return cudaSuccess;
  });
}

}  // extern "C"
