// Nodes of graphs that are built by hand, on the program's side: what they are made of goes by value.
#include <cstring>
#include <map>
#include <mutex>
#include <type_traits>

#include "simulator/cudart/graph/graph_node_kinds.h"
#include "simulator/remote/client/connection.h"
#include "simulator/remote/client/parameters.h"
#include "simulator/remote/graph_calls.h"

namespace sim::remote {
namespace {

template <class T>
std::uint64_t number(T* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

template <class T>
void put(Packer& to, const T& value) {
  to.put(&value, sizeof(value));
}

void put(Packer& to, const cudaKernelNodeParams& p) {
  const std::vector<std::byte> bytes = parameter_values(p.func, p.kernelParams);
  const LaunchHead head{number(p.func),
                        {p.gridDim.x, p.gridDim.y, p.gridDim.z},
                        {p.blockDim.x, p.blockDim.y, p.blockDim.z},
                        p.sharedMemBytes,
                        0,
                        0,
                        static_cast<std::uint32_t>(bytes.size())};
  put(to, head);
  to.put(bytes.data(), bytes.size());
}

void put(Packer& to, const cudaHostNodeParams& p) {
  put(to, Callback{0, reinterpret_cast<std::uint64_t>(p.fn), number(p.userData)});
}

/// Where a new node goes.
struct NodePosition {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* after;
  std::size_t count;
};

/// @param params  what it is made of; null where the program gave a null pointer
/// @param more    takes what else the answer has
template <class T>
cudaError_t add(const NodePosition& position, NodeKind kind, const T* params, void** more = nullptr) {
  const bool listed = position.after != nullptr && position.count != 0;
  if (listed && position.count > kMostHandles) return cudaErrorInvalidValue;  // no graph has as many
  // Before the message is begun: a kernel's parameters may have to be asked for.
  if constexpr (std::is_same_v<T, cudaKernelNodeParams>)
    if (params != nullptr) (void)parameters_of(params->func);
  Connection& line = Connection::mine();
  Packer to(line.arguments());
  const std::uint32_t has = (position.node != nullptr ? kHasNode : 0u) | (listed ? kHasList : 0u) |
                            (params != nullptr ? kHasParams : 0u);
  put(to, NodeHead{number(position.graph), position.count, kind, has});
  if (listed) to.put(position.after, position.count * sizeof(*position.after));
  if (params != nullptr) put(to, *params);
  Unpacker from = line.call(Call::add_node, to.used());
  const auto result = static_cast<cudaError_t>(line.result());
  if (result != cudaSuccess) return result;
  *position.node = from.take<cudaGraphNode_t>();
  if (more != nullptr) *more = from.take<void*>();
  return result;
}

template <class T>
cudaError_t change(const cudaGraphExec_t* executable, cudaGraphNode_t node, NodeKind kind, const T* params) {
  if constexpr (std::is_same_v<T, cudaKernelNodeParams>)
    if (params != nullptr) (void)parameters_of(params->func);
  Connection& line = Connection::mine();
  Packer to(line.arguments());
  put(to, ChangeHead{executable != nullptr ? number(*executable) : 0, number(node), kind,
                     params != nullptr ? kHasParams : 0u, executable != nullptr});
  if (params != nullptr) put(to, *params);
  (void)line.call(Call::change_node, to.used());
  return static_cast<cudaError_t>(line.result());
}

/// The values of a node's parameters for a program that has asked for them: they are there until it asks
/// again and they are others.
struct Values {
  std::vector<std::byte> bytes;
  std::vector<void*> pointers;
};

void** values_of(cudaGraphNode_t node, const void* function, std::span<const std::byte> bytes) {
  static std::mutex& lock = *new std::mutex;
  static auto& known = *new std::map<cudaGraphNode_t, Values>;
  Values fresh{{bytes.begin(), bytes.end()}, {}};
  for (const Parameter& p : parameters_of(function)) {
    if (p.offset > bytes.size() || p.bytes > bytes.size() - p.offset) return nullptr;
    fresh.pointers.push_back(fresh.bytes.data() + p.offset);
  }
  std::lock_guard hold(lock);
  Values& kept = known[node];
  if (kept.bytes != fresh.bytes || kept.pointers.size() != fresh.pointers.size()) kept = std::move(fresh);
  return kept.pointers.empty() ? nullptr : kept.pointers.data();
}

}  // namespace
}  // namespace sim::remote

cudaError_t sim::cudart::refuse_node(NoNode why) {
  (void)remote::ask(remote::Call::refuse_node, why);
  return static_cast<cudaError_t>(remote::Connection::mine().result());
}

using namespace sim::remote;

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return add<std::uint64_t>({node, graph, after, count}, NodeKind::empty, nullptr);
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* p) {
  return add({node, graph, after, count}, NodeKind::kernel, p);
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  const NodeCopy copy{number(to), number(from), bytes, static_cast<std::uint64_t>(kind)};
  return add({node, graph, after, count}, NodeKind::copy, &copy);
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* p) {
  return add({node, graph, after, count}, NodeKind::box, p);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* p) {
  return add({node, graph, after, count}, NodeKind::fill, p);
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* p) {
  return add({node, graph, after, count}, NodeKind::host, p);
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return add({node, graph, after, count}, NodeKind::graph, &child);
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count, cudaEvent_t event) {
  return add({node, graph, after, count}, NodeKind::record, &event);
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      std::size_t count, cudaEvent_t event) {
  return add({node, graph, after, count}, NodeKind::wait, &event);
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, cudaMemAllocNodeParams* p) {
  const std::uint64_t* const none = nullptr;
  const std::uint64_t bytes = p != nullptr ? p->bytesize : 0;
  return add({node, graph, after, count}, NodeKind::allocation, p != nullptr ? &bytes : none,
             p != nullptr ? &p->dptr : nullptr);
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, void* pointer) {
  return add({node, graph, after, count}, NodeKind::release, &pointer);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return change(nullptr, node, NodeKind::kernel, p);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  return change(&executable, node, NodeKind::kernel, p);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return change(nullptr, node, NodeKind::host, p);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* p) {
  return change(&executable, node, NodeKind::host, p);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  if (p == nullptr) return sim::cudart::refuse_node(sim::cudart::NoNode::no_params);
  Unpacker from = ask(Call::kernel_node, node);
  const auto result = static_cast<cudaError_t>(Connection::mine().result());
  if (result != cudaSuccess) return result;
  const auto head = from.take<LaunchHead>();
  const auto rest = from.take(head.bytes);
  const std::vector<std::byte> bytes(rest.begin(), rest.end());  // before the line is used again
  auto* const function = reinterpret_cast<void*>(head.function);
  *p = {function,
        dim3(head.grid[0], head.grid[1], head.grid[2]),
        dim3(head.block[0], head.block[1], head.block[2]),
        static_cast<unsigned>(head.shared),
        values_of(node, function, bytes),
        nullptr};
  return result;
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
  if (p == nullptr) return sim::cudart::refuse_node(sim::cudart::NoNode::no_params);
  Unpacker from = ask(Call::host_node, node);
  const auto result = static_cast<cudaError_t>(Connection::mine().result());
  if (result != cudaSuccess) return result;
  const auto back = from.take<Callback>();
  *p = {reinterpret_cast<cudaHostFn_t>(back.function), reinterpret_cast<void*>(back.data)};
  return result;
}

}  // extern "C"
