// Copies to and from symbols as nodes of graphs: of the symbol's address. A program whose simulator is
// another process has these as they are.
#include <cuda_runtime_api.h>

#include <cstddef>

namespace {

/// A variable's bytes from an offset on. @return the error of asking for its address
cudaError_t symbol_place(const void* symbol, std::size_t offset, void** place) {
  void* start = nullptr;
  const cudaError_t code = cudaGetSymbolAddress(&start, symbol);
  *place = static_cast<char*>(start) + offset;
  return code;
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

}  // extern "C"
