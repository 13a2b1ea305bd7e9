// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

/// One round of Bellman and Ford's shortest paths: `out[v]` is the smallest of distance[v] and, over all
/// edges of v, distance[from] + length. Edge e of v, for e from edge_start[v] up to, and without,
/// edge_start[v + 1], comes from node from[e] and is length[e] long. Some nodes have very many edges, many
/// have none.
///
/// @param[out] out         device, float [nodes]; does not overlap @p distance
/// @param[in]  distance    device, float [nodes], >= 0, none -0; +infinity where no path is known
/// @param[in]  edge_start  device, int [nodes + 1]; ascends from 0 to @p edges
/// @param[in]  from        device, int [edges], each from 0 to nodes - 1
/// @param[in]  length      device, float [edges], >= 0, none -0, finite
/// @param      nodes       >= 0
/// @param      edges       >= 0; nodes + edges < 2^31
/// @return cudaSuccess, or the first error; no nodes launch nothing
/// @note Reads 8 * edges + 8 * nodes bytes and writes 4 * nodes. A float that is >= 0 compares like its bits.
cudaError_t relax(float* out, const float* distance, const int* edge_start, const int* from,
                  const float* length, int nodes, int edges);
