// The work of graph nodes, as the ordinary calls submit it.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "simulator/cudart/graph/graph_handles.h"

namespace sim::cudart {

/// Submits a node's work to a stream.
using Work = std::function<void(cudaStream_t)>;

/// A node, in no graph yet, with the operation that @p work submits: it is checked and executed by the same
/// code as the ordinary call. @throws ApiError as that call fails
CUgraphNode_st captured(const Work& work);

Work launch_of(const cudaKernelNodeParams& params);
/// Of a kernel's parameters a copy that owns what its kernelParams point to; of others they themselves.
/// @throws ApiError
NodeParams kept(NodeParams params);
Work copy_of(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
Work copy_of(const cudaMemcpy3DParms& params);
Work fill_of(const cudaMemsetParams& params);
Work call_of(const cudaHostNodeParams& params);
/// A copy of all of a graph, run as one.
Work graph_work_of(const CUgraph_st& graph);
Work record_of(cudaEvent_t event);
Work wait_of(cudaEvent_t event);

/// A node of a graph that still exists. @throws ApiError cudaErrorInvalidValue
CUgraphNode_st& node_of(cudaGraphNode_t node);

}  // namespace sim::cudart
