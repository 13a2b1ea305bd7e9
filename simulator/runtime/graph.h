// Graphs, captured from streams or built node by node.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "simulator/runtime/stream.h"

namespace sim::runtime {
class Graph;
}

struct CUgraphNode_st {
  sim::runtime::Graph* graph = nullptr;
  sim::runtime::Operation operation;   ///< empty in an empty node
  std::vector<CUgraphNode_st*> after;  ///< what must run before it
};

namespace sim::runtime {

/// Nodes in the order in which they were made. For captured work that is a legal order of execution;
/// dependencies added later can change it.
class Graph {
 public:
  CUgraphNode_st* add(Operation operation);
  /// Draws a stream into the capture.
  void join(CUstream_st& stream);
  /// Ends the capture on every stream it drew in.
  void end_capture();

  const std::vector<std::unique_ptr<CUgraphNode_st>>& nodes() const { return nodes_; }
  /// Nodes so that each comes after those it depends on. @throws ApiError when they depend on each other
  std::vector<const CUgraphNode_st*> ordered() const;

 private:
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes_;
  std::vector<CUstream_st*> capturing_;
};

}  // namespace sim::runtime

struct CUgraph_st : sim::runtime::Graph {};

/// A graph ready to run: its operations, by the node each was made from.
struct CUgraphExec_st {
  std::vector<std::pair<const CUgraphNode_st*, sim::runtime::Operation>> operations;
};
