// A drawing of a graph, made of what any program can ask. One whose simulator is another process has this as
// it is: the file is the program's.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <map>
#include <vector>

namespace {

const char* kind_of(cudaGraphNodeType type) {
  static constexpr const char* kNames[] = {
      "kernel",     "memcpy",       "memset",           "host",           "graph",      "empty",
      "event wait", "event record", "semaphore signal", "semaphore wait", "allocation", "free"};
  return type >= 0 && type < static_cast<int>(std::size(kNames)) ? kNames[type] : "other";
}

}  // namespace

extern "C" {

/// Nodes and edges in Graphviz's language.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  std::size_t count = 0, edges = 0;
  cudaError_t code = cudaGraphGetNodes(graph, nullptr, &count);
  if (code != cudaSuccess) return code;
  if (path == nullptr) return cudaErrorInvalidValue;
  std::vector<cudaGraphNode_t> nodes(count);
  code = cudaGraphGetNodes(graph, nodes.data(), &count);
  if (code != cudaSuccess) return code;
#if CUDART_VERSION >= 13000
  const auto get = [&](cudaGraphNode_t* from, cudaGraphNode_t* to) {
    return cudaGraphGetEdges(graph, from, to, nullptr, &edges);
  };
#else
  const auto get = [&](cudaGraphNode_t* from, cudaGraphNode_t* to) {
    return cudaGraphGetEdges(graph, from, to, &edges);
  };
#endif
  code = get(nullptr, nullptr);
  std::vector<cudaGraphNode_t> from(edges), to(edges);
  if (code == cudaSuccess && edges != 0) code = get(from.data(), to.data());
  if (code != cudaSuccess) return code;
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return cudaErrorOperatingSystem;
  std::fprintf(file, "digraph dot {\n");
  std::map<cudaGraphNode_t, int> numbers;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    (void)cudaGraphNodeGetType(node, &type);
    const int number = numbers[node] = static_cast<int>(numbers.size());
    std::fprintf(file, "  n%d [label=\"%d: %s\"];\n", number, number, kind_of(type));
  }
  for (std::size_t i = 0; i < edges; ++i)
    std::fprintf(file, "  n%d -> n%d;\n", numbers[from[i]], numbers[to[i]]);
  std::fprintf(file, "}\n");
  std::fclose(file);
  return cudaSuccess;
}

}  // extern "C"
