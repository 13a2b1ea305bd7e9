// Graphs built node by node. A node's work is captured from the ordinary call on a stream of its own, so that
// it is checked and executed by the same code.
#include <algorithm>

#include "simulator/runtime/copy.h"
#include "simulator/runtime/device.h"
#include "simulator/runtime/graph_handles.h"
#include "simulator/runtime/launch.h"

using namespace sim::runtime;

namespace {

/// The operation that @p call submits to the stream it is given.
template <class Call>
Operation captured(Call&& call) {
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
  return graph.nodes().empty() ? Operation{} : graph.nodes()[0]->operation;
}

/// Adds a node that runs what @p call submits.
template <class Call>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* after,
                     std::size_t count, Call&& call) {
  return api([&](Device&) {
    CUgraph_st& graph = graph_of(handle);
    require(node && (after || count == 0));
    for (std::size_t i = 0; i < count; ++i) require(after[i] && after[i]->graph == &graph);
    CUgraphNode_st* fresh = graph.add(captured(call));
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

}  // namespace

extern "C" {

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
  return add_node(node, graph, after, count, [&](cudaStream_t stream) {
    copy(to, from, bytes, "cudaGraphAddMemcpyNode1D", kind, stream, false);
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* p) {
  return add_node(node, graph, after, count,
                  [&](cudaStream_t stream) { require(cudaMemcpy3DAsync(p, stream) == cudaSuccess); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* p) {
  return add_node(node, graph, after, count, [&](cudaStream_t stream) {
    require(p);
    const auto byte = static_cast<unsigned char>(p->value);
    const unsigned pattern = p->elementSize == 4   ? byte * 0x01010101u
                             : p->elementSize == 2 ? byte * 0x0101u
                                                   : byte;
    require(p->value == pattern, cudaErrorNotSupported);  // only values whose bytes are equal
    const std::size_t width = p->width * p->elementSize;
    const std::size_t pitch = p->height > 1 ? p->pitch : width;
    set_block({p->dst, pitch, p->height}, byte, {width, p->height, 1}, "cudaGraphAddMemsetNode", stream);
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* p) {
  return add_node(node, graph, after, count, [&](cudaStream_t stream) {
    require(p && cudaLaunchHostFunc(stream, p->fn, p->userData) == cudaSuccess);
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return api([&](Device&) {
    require(count);
    const auto& all = graph_of(handle).nodes();
    const std::size_t room = nodes ? std::min(*count, all.size()) : 0;
    for (std::size_t i = 0; i < room; ++i) nodes[i] = all[i].get();
    *count = all.size();
    return cudaSuccess;
  });
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
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().contains(executable) && p);
    for (auto& [from, operation] : executable->operations) {
      if (from != node) continue;
      operation = captured(launch_of(*p));
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

}  // extern "C"
