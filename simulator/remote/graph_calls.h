// What precedes the rest in the calls that build graphs node by node.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim::remote {

/// Which handles or structures of a call are there; the others are null pointers.
enum Has : std::uint32_t { kHasNode = 1, kHasList = 2, kHasParams = 4, kHasOtherList = 8 };

/// What a node of a graph is made of. Of memory and events it is the handle.
enum class NodeKind : std::uint32_t {
  empty,
  kernel,      ///< LaunchHead, then the bytes of its parameters
  copy,        ///< NodeCopy
  box,         ///< cudaMemcpy3DParms
  fill,        ///< cudaMemsetParams
  host,        ///< Callback
  graph,       ///< a graph's handle
  record,      ///< an event's handle
  wait,        ///< an event's handle
  allocation,  ///< bytes -> the node's handle, then the memory's address
  release,     ///< address
};

/// What precedes the handles of the nodes that a new one comes after.
struct NodeHead {
  std::uint64_t graph, count;
  NodeKind kind;
  std::uint32_t has;  ///< kHasNode, kHasList, kHasParams
};

/// Of a kernel or a host function, in a graph or in one that was instantiated.
struct ChangeHead {
  std::uint64_t executable, node;
  NodeKind kind;
  std::uint32_t has;           ///< kHasParams
  std::uint64_t instantiated;  ///< whether in `executable`
};

struct NodeCopy {
  std::uint64_t to, from, bytes;
  std::uint64_t kind;
};

/// Which nodes or edges are asked for. A graph's are, or those next to a node.
enum class Listed : std::uint32_t { all, roots, before, behind };
struct NodesHead {
  std::uint64_t of, room;
  Listed which;
  std::uint32_t has;  ///< kHasParams: the number; kHasList, kHasOtherList
};

/// Edges of a graph, made or taken away.
struct EdgesHead {
  std::uint64_t graph, count;
  std::uint32_t removed, has;  ///< kHasList, kHasOtherList
};

/// Handles that fit into one message, with all that goes with them.
inline constexpr std::size_t kMostHandles = std::size_t{1} << 16;

}  // namespace sim::remote
