// Graphs, captured from streams or built node by node.
#pragma once

#include <map>
#include <memory>
#include <thread>
#include <variant>
#include <vector>

#include "simulator/cudart/stream/stream.h"

namespace sim::cudart {
class Graph;
}

/// A kernel node's parameters. Whoever asks for them may do so when the arrays that the program gave are
/// long gone, so kernelParams are the node's own.
struct KernelNodeParams : cudaKernelNodeParams {
  struct Own {
    std::vector<std::byte> bytes;
    std::vector<void*> pointers;
  };
  std::shared_ptr<Own> own{};
};

/// What a node was made of, for those that ask.
using NodeParams = std::variant<std::monostate, KernelNodeParams, cudaMemcpy3DParms, cudaMemsetParams,
                                cudaHostNodeParams, cudaGraph_t, cudaEvent_t>;

struct CUgraphNode_st {
  sim::cudart::Graph* graph = nullptr;
  sim::cudart::Operation operation;    ///< empty in an empty node
  std::vector<CUgraphNode_st*> after;  ///< what must run before it
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  bool enabled = true;
  NodeParams params{};
  const CUgraphNode_st* original = nullptr;  ///< that this one was cloned from
};

namespace sim::cudart {

/// Nodes in the order in which they were made. For captured work that is a legal order of execution;
/// dependencies added later can change it.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();
  CUgraphNode_st* add(Operation operation, cudaGraphNodeType type);
  /// Adds what a capturing stream was given, after what it was given before.
  void capture(CUstream_st& stream, Operation operation, cudaGraphNodeType type);
  /// Draws a stream into the capture; the first one is where it must end.
  void join(CUstream_st& stream);
  /// A call that capture forbids was made: nothing more is captured, and the capture ends with an error.
  void invalidate() { invalid_ = true; }
  bool invalid() const { return invalid_; }
  bool capturing() const { return !capturing_.empty(); }
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  ///< of the capture
  std::thread::id thread;                                     ///< that began it
  /// Whether the capture began on this stream.
  bool began_on(const CUstream_st& stream) const {
    return !capturing_.empty() && capturing_.front() == &stream;
  }
  /// Whether all captured work leads up to the stream that the capture began on.
  bool all_joined() const;
  /// Ends the capture on every stream it drew in.
  void end_capture();
  void remove(CUgraphNode_st* node);

  const std::vector<std::unique_ptr<CUgraphNode_st>>& nodes() const { return nodes_; }
  /// Nodes so that each comes after those it depends on. @throws ApiError when they depend on each other
  std::vector<const CUgraphNode_st*> ordered() const;

 private:
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes_;
  std::vector<CUstream_st*> capturing_;
  bool invalid_ = false;
};

}  // namespace sim::cudart

struct CUgraph_st : sim::cudart::Graph {};

/// A graph ready to run: its operations, by the node each was made from.
struct CUgraphExec_st {
  unsigned long long flags = 0;
  std::vector<std::pair<const CUgraphNode_st*, sim::cudart::Operation>> operations;
  std::vector<std::vector<std::size_t>> after;  ///< of each operation: those it comes after, by their place
};
