// Graphs built node by node.
#include <algorithm>
#include <memory>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_work.h"

using namespace sim::cudart;

namespace {

/// Adds a node with the work that @p make gives, and remembers what it was made of.
template <class Make>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* after,
                     std::size_t count, Make&& make, NodeParams params = {}) {
  return api([&](Device&) {
    CUgraph_st& graph = graph_of(handle);
    require(node && (after || count == 0));
    for (std::size_t i = 0; i < count; ++i) require(node_of(after[i]).graph == &graph);
    CUgraphNode_st work = captured(make());
    NodeParams own = kept(std::move(params));
    CUgraphNode_st* fresh = graph.add(std::move(work.operation), work.type);
    fresh->after.assign(after, after + count);
    fresh->params = std::move(own);
    *node = fresh;
    return cudaSuccess;
  });
}

/// Memory that graph nodes allocate: freed with the last graph that holds the node.
struct GraphMemory {
  sim::memory::Allocation* allocation;
  explicit GraphMemory(sim::memory::Allocation* a) : allocation(a) {}
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  ~GraphMemory() {
    if (!allocation->freed) device().space.free(allocation);
  }
};

}  // namespace

extern "C" {

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return add_node(
      node, graph, after, count, [&] { return graph_work_of(graph_of(child)); }, child);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count, cudaEvent_t event) {
  return add_node(
      node, graph, after, count,
      [&] {
        require(event);
        return record_of(event);
      },
      event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      std::size_t count, cudaEvent_t event) {
  return add_node(
      node, graph, after, count, [&] { return wait_of(event); }, event);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return add_node(node, graph, after, count, [] { return Work([](cudaStream_t) {}); });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
  return add_node(
      node, graph, after, count, [&] { return launch_of(*p); }, KernelNodeParams{*p});
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  cudaMemcpy3DParms p{};
  p.dstPtr = {to, bytes, bytes, 1};
  p.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  p.extent = {bytes, 1, 1};
  p.kind = kind;
  return add_node(
      node, graph, after, count, [&] { return copy_of(to, from, bytes, kind); }, p);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
  return add_node(
      node, graph, after, count, [&] { return copy_of(*p); }, *p);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
  return add_node(
      node, graph, after, count, [&] { return fill_of(*p); }, *p);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
  return add_node(
      node, graph, after, count, [&] { return call_of(*p); }, *p);
}

/// The memory is there from now on, at one address for every launch.
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, cudaMemAllocNodeParams* p) {
  if (!p) return last_error() = cudaErrorInvalidValue;
  return add_node(node, graph, after, count, [&] {
    require(p->bytesize > 0);
    Device& d = device();
    const auto memory = std::make_shared<GraphMemory>(
        d.space.allocate(p->bytesize, sim::memory::Kind::device, "a graph's allocation"));
    p->dptr = reinterpret_cast<void*>(memory->allocation->base);
    return Work([memory](cudaStream_t stream) {
      submit(
          *stream, [memory](CUstream_st&) {}, cudaGraphNodeTypeMemAlloc);
    });
  });
}

/// The memory stays for the next launch; what is freed for good is freed with the graph.
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, void* pointer) {
  return add_node(node, graph, after, count, [&] {
    const sim::memory::Allocation* found = device().space.find(reinterpret_cast<std::uint64_t>(pointer));
    require(found && found->base == reinterpret_cast<std::uint64_t>(pointer));
    return Work([](cudaStream_t stream) {
      submit(
          *stream, [](CUstream_st&) {}, cudaGraphNodeTypeMemFree);
    });
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
      require(node_of(from[i]).graph == handle && node_of(to[i]).graph == handle && from[i] != to[i]);
      auto& after = to[i]->after;
      require(std::find(after.begin(), after.end(), from[i]) == after.end());  // an edge is there once
      after.push_back(from[i]);
    }
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
#else
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, std::size_t count) {
#endif
  return api([&](Device&) {
    graph_of(handle);
    require((from && to) || count == 0);
    for (std::size_t i = 0; i < count; ++i) {
      require(node_of(from[i]).graph == handle && node_of(to[i]).graph == handle);
      require(std::erase(to[i]->after, from[i]) > 0);
    }
    return cudaSuccess;
  });
}

}  // extern "C"
