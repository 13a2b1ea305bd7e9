#include "simulator/remote/server/graphs.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_node_kinds.h"
#include "simulator/remote/graph_calls.h"
#include "simulator/remote/server/callbacks.h"
#include "simulator/remote/server/modules.h"

namespace sim::remote {
namespace {

using Handles = std::vector<cudaGraphNode_t>;

template <class Handle>
Handle handle(std::uint64_t number) {
  return reinterpret_cast<Handle>(number);
}

template <class T>
void put(Packer& to, const T& value) {
  to.put(&value, sizeof(value));
}

/// The runtime knows which of them there are; here it counts that so many were sent.
Handles take_handles(Unpacker& from, std::uint64_t count) {
  if (count > from.rest().size() / sizeof(cudaGraphNode_t)) throw BadCall();
  Handles all(count);
  from.take(all.data(), count * sizeof(cudaGraphNode_t));
  return all;
}

/// A kernel's parameters out of a message, with what they point to.
struct KernelParams {
  LaunchHead head;
  Arguments arguments;
  explicit KernelParams(Unpacker from)
      : head(from.take<LaunchHead>()), arguments(handle<const void*>(head.function), from.rest()) {}
  cudaKernelNodeParams params() {
    return {handle<void*>(head.function),
            dim3(head.grid[0], head.grid[1], head.grid[2]),
            dim3(head.block[0], head.block[1], head.block[2]),
            static_cast<unsigned>(head.shared),
            arguments.list(),
            nullptr};
  }
};

/// Makes a node. A structure that the program did not give is a null pointer here as well.
class Addition {
 public:
  explicit Addition(Unpacker from) : head_(from.take<NodeHead>()), from_(from) {
    if (has(kHasList)) after_ = take_handles(from_, head_.count);
  }

  std::uint64_t perform(Packer& back) {
    void* memory = nullptr;
    const cudaError_t result = add(memory);
    if (result != cudaSuccess) return result;
    put(back, node_);
    if (head_.kind == NodeKind::allocation) put(back, memory);
    return result;
  }

 private:
  bool has(Has what) const { return (head_.has & what) != 0; }

  /// A call that takes the place of the node and then @p arguments.
  template <class... P, class... A>
  cudaError_t call(cudaError_t (*function)(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                           P...),
                   A... arguments) {
    return function(has(kHasNode) ? &node_ : nullptr, handle<cudaGraph_t>(head_.graph),
                    has(kHasList) ? after_.data() : nullptr, head_.count, arguments...);
  }
  /// One that takes a structure by a pointer.
  template <class T>
  cudaError_t call_with(cudaError_t (*function)(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*,
                                                std::size_t, const T*)) {
    if (!has(kHasParams)) return call(function, static_cast<const T*>(nullptr));
    const T params = from_.take<T>();
    return call(function, &params);
  }

  cudaError_t add(void*& memory) {
    switch (head_.kind) {
      case NodeKind::empty:
        return call(&cudaGraphAddEmptyNode);
      case NodeKind::kernel: {
        if (!has(kHasParams)) return call(&cudaGraphAddKernelNode, nullptr);
        KernelParams kernel(from_);
        const cudaKernelNodeParams params = kernel.params();
        return call(&cudaGraphAddKernelNode, &params);
      }
      case NodeKind::copy: {
        const auto copy = from_.take<NodeCopy>();
        return call(&cudaGraphAddMemcpyNode1D, handle<void*>(copy.to), handle<const void*>(copy.from),
                    copy.bytes, static_cast<cudaMemcpyKind>(copy.kind));
      }
      case NodeKind::box:
        return call_with(&cudaGraphAddMemcpyNode);
      case NodeKind::fill:
        return call_with(&cudaGraphAddMemsetNode);
      case NodeKind::host: {
        if (!has(kHasParams)) return call(&cudaGraphAddHostNode, nullptr);
        const cudaHostNodeParams params = bound(from_.take<Callback>());
        return call(&cudaGraphAddHostNode, &params);
      }
      case NodeKind::graph:
        return call(&cudaGraphAddChildGraphNode, from_.take<cudaGraph_t>());
      case NodeKind::record:
        return call(&cudaGraphAddEventRecordNode, from_.take<cudaEvent_t>());
      case NodeKind::wait:
        return call(&cudaGraphAddEventWaitNode, from_.take<cudaEvent_t>());
      case NodeKind::allocation: {
        if (!has(kHasParams)) return call(&cudaGraphAddMemAllocNode, nullptr);
        cudaMemAllocNodeParams params{};
        params.bytesize = from_.take<std::uint64_t>();
        const cudaError_t result = call(&cudaGraphAddMemAllocNode, &params);
        memory = params.dptr;
        return result;
      }
      case NodeKind::release:
        return call(&cudaGraphAddMemFreeNode, from_.take<void*>());
    }
    throw BadCall();
  }

  NodeHead head_;
  Unpacker from_;
  Handles after_;
  cudaGraphNode_t node_ = nullptr;
};

std::uint64_t change_node(Unpacker from) {
  const auto head = from.take<ChangeHead>();
  const bool there = (head.has & kHasParams) != 0;
  auto* const executable = handle<cudaGraphExec_t>(head.executable);
  auto* const node = handle<cudaGraphNode_t>(head.node);
  if (head.kind == NodeKind::kernel) {
    std::optional<KernelParams> kernel;
    if (there) kernel.emplace(from);
    const cudaKernelNodeParams params = there ? kernel->params() : cudaKernelNodeParams{};
    const cudaKernelNodeParams* const p = there ? &params : nullptr;
    return head.instantiated != 0 ? cudaGraphExecKernelNodeSetParams(executable, node, p)
                                  : cudaGraphKernelNodeSetParams(node, p);
  }
  if (head.kind != NodeKind::host) throw BadCall();
  const cudaHostNodeParams params = there ? bound(from.take<Callback>()) : cudaHostNodeParams{};
  const cudaHostNodeParams* const p = there ? &params : nullptr;
  return head.instantiated != 0 ? cudaGraphExecHostNodeSetParams(executable, node, p)
                                : cudaGraphHostNodeSetParams(node, p);
}

/// What a node's parameters point to is the node's: nobody may change it meanwhile.
std::uint64_t kernel_node(cudaGraphNode_t node, Packer& back) {
  std::lock_guard hold(cudart::device().lock);
  cudaKernelNodeParams p{};
  const cudaError_t result = cudaGraphKernelNodeGetParams(node, &p);
  if (result != cudaSuccess) return result;
  std::vector<std::byte> bytes;
  if (p.kernelParams != nullptr) {
    std::size_t i = 0;
    for (const Parameter& parameter : parameters_of(p.func)) {
      bytes.resize(parameter.offset + parameter.bytes);
      std::memcpy(bytes.data() + parameter.offset, p.kernelParams[i++], parameter.bytes);
    }
  }
  put(back, LaunchHead{reinterpret_cast<std::uint64_t>(p.func),
                       {p.gridDim.x, p.gridDim.y, p.gridDim.z},
                       {p.blockDim.x, p.blockDim.y, p.blockDim.z},
                       p.sharedMemBytes,
                       0,
                       0,
                       static_cast<std::uint32_t>(bytes.size())});
  back.put(bytes.data(), bytes.size());
  return result;
}

std::uint64_t host_node(cudaGraphNode_t node, Packer& back) {
  cudaHostNodeParams p{};
  const cudaError_t result = cudaGraphHostNodeGetParams(node, &p);
  if (result == cudaSuccess) put(back, callback_of(p));
  return result;
}

cudaError_t nodes_of(const NodesHead& head, cudaGraphNode_t* nodes, std::size_t* count) {
  switch (head.which) {
    case Listed::all:
      return cudaGraphGetNodes(handle<cudaGraph_t>(head.of), nodes, count);
    case Listed::roots:
      return cudaGraphGetRootNodes(handle<cudaGraph_t>(head.of), nodes, count);
#if CUDART_VERSION >= 13000
    case Listed::before:
      return cudaGraphNodeGetDependencies(handle<cudaGraphNode_t>(head.of), nodes, nullptr, count);
    case Listed::behind:
      return cudaGraphNodeGetDependentNodes(handle<cudaGraphNode_t>(head.of), nodes, nullptr, count);
#else
    case Listed::before:
      return cudaGraphNodeGetDependencies(handle<cudaGraphNode_t>(head.of), nodes, count);
    case Listed::behind:
      return cudaGraphNodeGetDependentNodes(handle<cudaGraphNode_t>(head.of), nodes, count);
#endif
  }
  throw BadCall();
}

cudaError_t edges_of(std::uint64_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
#if CUDART_VERSION >= 13000
  return cudaGraphGetEdges(handle<cudaGraph_t>(graph), from, to, nullptr, count);
#else
  return cudaGraphGetEdges(handle<cudaGraph_t>(graph), from, to, count);
#endif
}

/// Asks how many there are, then for as many of them as the program has room for.
/// @param ends  handles of each: of an edge two; 0 where only the number is asked for
/// @param ask   takes the array, or null, and the number
template <class Ask>
std::uint64_t list(const NodesHead& head, std::size_t ends, Packer& back, const Ask& ask) {
  if ((head.has & kHasParams) == 0) return ask(nullptr, nullptr);
  std::size_t count = 0;
  cudaError_t result = ask(nullptr, &count);
  Handles all;
  if (ends != 0 && result == cudaSuccess) {
    count = std::min<std::size_t>(count, head.room);
    if (count > kMostHandles / ends) return cudaErrorNotSupported;
    all.resize(ends * count + 1);  // an array, and not null, where there is room for none
    result = ask(all.data(), &count);
  }
  if (result != cudaSuccess) return result;
  put(back, std::uint64_t{count});
  back.put(all.data(), ends * count * sizeof(cudaGraphNode_t));
  return result;
}

std::uint64_t list_nodes(const NodesHead& head, Packer& back) {
  return list(head, (head.has & kHasList) != 0 ? 1 : 0, back,
              [&](cudaGraphNode_t* nodes, std::size_t* count) { return nodes_of(head, nodes, count); });
}

std::uint64_t list_edges(const NodesHead& head, Packer& back) {
  const bool wanted = (head.has & kHasList) != 0 && (head.has & kHasOtherList) != 0;
  return list(head, wanted ? 2 : 0, back, [&](cudaGraphNode_t* room, std::size_t* count) {
    if (room == nullptr) return edges_of(head.of, nullptr, nullptr, count);
    Handles from(*count + 1), to(*count + 1);
    const cudaError_t result = edges_of(head.of, from.data(), to.data(), count);
    for (std::size_t i = 0; i < *count; ++i) room[2 * i] = from[i], room[2 * i + 1] = to[i];
    return result;
  });
}

std::uint64_t change_edges(Unpacker unpacker) {
  const auto head = unpacker.take<EdgesHead>();
  Handles ends[2];
  const cudaGraphNode_t* lists[2] = {};
  for (const int i : {0, 1}) {
    if ((head.has & (i == 0 ? kHasList : kHasOtherList)) == 0) continue;
    ends[i] = take_handles(unpacker, head.count);
    ends[i].push_back(nullptr);  // an array, and not null, where there are none
    lists[i] = ends[i].data();
  }
  auto* const graph = handle<cudaGraph_t>(head.graph);
#if CUDART_VERSION >= 13000
  return head.removed != 0 ? cudaGraphRemoveDependencies(graph, lists[0], lists[1], nullptr, head.count)
                           : cudaGraphAddDependencies(graph, lists[0], lists[1], nullptr, head.count);
#else
  return head.removed != 0 ? cudaGraphRemoveDependencies(graph, lists[0], lists[1], head.count)
                           : cudaGraphAddDependencies(graph, lists[0], lists[1], head.count);
#endif
}

}  // namespace

std::uint64_t perform_on_graph(Call which, Unpacker from, Packer& back) {
  switch (which) {
    case Call::add_node:
      return Addition(from).perform(back);
    case Call::change_node:
      return change_node(from);
    case Call::kernel_node:
      return kernel_node(from.take<cudaGraphNode_t>(), back);
    case Call::host_node:
      return host_node(from.take<cudaGraphNode_t>(), back);
    case Call::list_nodes:
      return list_nodes(from.take<NodesHead>(), back);
    case Call::list_edges:
      return list_edges(from.take<NodesHead>(), back);
    case Call::change_edges:
      return change_edges(from);
    case Call::refuse_node:
      return cudart::refuse_node(from.take<cudart::NoNode>());
    default:
      throw BadCall();
  }
}

}  // namespace sim::remote
