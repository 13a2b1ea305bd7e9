// Right: a graph with a node of every kind, whose edges, parameters and launches are asked for and changed.
// What it would be without any one of the calls is wrong.
#include <cstddef>
#include <cstdio>

#include "saxpy.h"

__global__ void scale_kernel(float* out, const float* x, int n, const float* factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor[0] * x[i];
}

__global__ void add_kernel(float* out, const float* scaled, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scaled[i] + y[i];
}

#define OK(call)                                                           \
  do {                                                                     \
    if (const cudaError_t code = (call); code != cudaSuccess) return code; \
  } while (false)
#define IS(condition) \
  if (!(condition)) return cudaErrorAssert

namespace {

/// The factor arrives by way of a function of the host, page-locked memory and the graph's own memory.
struct Factor {
  float* host;
  int calls;
};

template <class... A>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t after, void (*kernel)(A...),
                unsigned blocks, A... arguments) {
  void* values[] = {&arguments...};  // gone when this returns
  cudaKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(kernel);
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(256);
  launch.kernelParams = values;
  return cudaGraphAddKernelNode(node, graph, &after, after != nullptr ? 1 : 0, &launch);
}

cudaError_t build(cudaGraph_t graph, Factor& factor, float* out, const float* x, const float* y, int n) {
  const unsigned blocks = (n + 255) / 256;
  cudaGraphNode_t call, memory, arrive, scale, start, sum, fill, gone, marked, drawn;

  cudaHostNodeParams three = {[](void* where) {
                                auto* const factor = static_cast<Factor*>(where);
                                *factor->host = 3;
                                ++factor->calls;
                              },
                              &factor};
  OK(cudaGraphAddHostNode(&call, graph, nullptr, 0, &three));
  cudaHostNodeParams asked = {};
  OK(cudaGraphHostNodeGetParams(call, &asked));
  IS(asked.fn == three.fn && asked.userData == &factor);

  cudaMemAllocNodeParams own = {};
  own.poolProps.allocType = cudaMemAllocationTypePinned;
  own.poolProps.location.type = cudaMemLocationTypeDevice;
  own.bytesize = (n + 1) * sizeof(float);
  OK(cudaGraphAddMemAllocNode(&memory, graph, nullptr, 0, &own));
  float* const scaled = static_cast<float*>(own.dptr);
  float* const d_factor = scaled + n;

  const cudaGraphNode_t both[] = {call, memory};
  OK(cudaGraphAddMemcpyNode1D(&arrive, graph, both, 2, d_factor, factor.host, sizeof(float),
                              cudaMemcpyHostToDevice));
  OK(add(&scale, graph, arrive, scale_kernel, blocks + 1, scaled, x, n, static_cast<const float*>(d_factor)));

  // One block too many, and the pointers that are there belong to the node.
  cudaKernelNodeParams launch = {};
  OK(cudaGraphKernelNodeGetParams(scale, &launch));
  IS(launch.gridDim.x == blocks + 1 && *static_cast<const float**>(launch.kernelParams[1]) == x);
  launch.gridDim = dim3(blocks);
  OK(cudaGraphKernelNodeSetParams(scale, &launch));

  // The sum is there before what it comes after, and its edges come last.
  OK(add(&sum, graph, nullptr, add_kernel, blocks, out, static_cast<const float*>(scaled), y, n));
  cudaMemsetParams zero = {};
  zero.dst = out;
  zero.elementSize = 4;
  zero.width = n;
  zero.height = 1;
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  OK(cudaGraphAddEmptyNode(&start, graph, &scale, 1));
  const cudaGraphNode_t from[] = {start, fill, sum}, to[] = {sum, sum, start};
  OK(cudaGraphAddDependencies(graph, from, to, nullptr, 3));  // the last of them a circle
  cudaGraphExec_t none = nullptr;
  IS(cudaGraphInstantiate(&none, graph, 0) != cudaSuccess);
  cudaGetLastError();
  OK(cudaGraphRemoveDependencies(graph, from + 2, to + 2, nullptr, 1));
  OK(cudaGraphAddMemFreeNode(&gone, graph, &sum, 1, scaled));

  cudaEvent_t event = nullptr;
  OK(cudaEventCreate(&event));
  OK(cudaGraphAddEventRecordNode(&marked, graph, &sum, 1, event));
  cudaEvent_t same = nullptr;
  OK(cudaGraphEventRecordNodeGetEvent(marked, &same));
  IS(same == event);
  OK(cudaGraphDestroyNode(marked));
  OK(cudaEventDestroy(event));
  IS(cudaGraphDestroyNode(marked) == cudaErrorInvalidValue);  // a handle of nothing any more
  IS(cudaGraphAddEmptyNode(&drawn, graph, &marked, 1) == cudaErrorInvalidValue);
  auto* const nowhere = reinterpret_cast<cudaGraphNode_t>(0x1230);
  IS(cudaGraphAddDependencies(graph, &nowhere, &sum, nullptr, 1) == cudaErrorInvalidValue);
  IS(cudaGraphKernelNodeGetParams(nowhere, &launch) == cudaErrorInvalidValue);
  IS(cudaGraphAddKernelNode(&drawn, graph, nullptr, 0, nullptr) == cudaErrorInvalidValue);
  IS(cudaGetLastError() == cudaErrorInvalidValue);

  std::size_t count = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  IS(count == 8);
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  IS(count == 7);
  cudaGraphNode_t nodes[8] = {}, begin[8] = {}, end[8] = {};
  count = 8;
  OK(cudaGraphGetRootNodes(graph, nodes, &count));
  IS(count == 3 && nodes[0] == call && nodes[1] == memory && nodes[2] == fill);
  count = 8;
  OK(cudaGraphGetEdges(graph, begin, end, nullptr, &count));
  IS(count == 7 && begin[0] == call && end[0] == arrive);
  count = 8;
  OK(cudaGraphNodeGetDependencies(sum, nodes, nullptr, &count));
  IS(count == 2 && nodes[0] == start && nodes[1] == fill);
  count = 8;
  OK(cudaGraphNodeGetDependentNodes(scale, nodes, nullptr, &count));
  IS(count == 1 && nodes[0] == start);

  OK(cudaGraphDebugDotPrint(graph, "/dev/null", 0));
  return cudaGraphDebugDotPrint(graph, nullptr, 0) == cudaErrorInvalidValue ? cudaSuccess : cudaErrorAssert;
}

/// Twice in one: once as it is and once with its sum changed to another that is right.
cudaError_t run(cudaGraph_t graph, Factor& factor, float* out, const float* x, const float* y, int n) {
  cudaGraph_t whole = nullptr;
  cudaGraphNode_t child, more, memory;
  float* aside = nullptr;
  OK(cudaGraphCreate(&whole, 0));
  OK(cudaGraphAddChildGraphNode(&child, whole, nullptr, 0, graph));
  OK(cudaMalloc(&aside, n * sizeof(float)));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeMemcpy;
  params.memcpy.copyParams.srcPtr = {out, n * sizeof(float), static_cast<std::size_t>(n), 1};
  params.memcpy.copyParams.dstPtr = {aside, n * sizeof(float), static_cast<std::size_t>(n), 1};
  params.memcpy.copyParams.extent = {n * sizeof(float), 1, 1};
  params.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
  OK(cudaGraphAddNode(&memory, whole, &child, nullptr, 1, &params));
  // Nothing comes of this one: what it adds is out of no memory.
  OK(add(&more, whole, memory, add_kernel, 1u, out, static_cast<const float*>(nullptr), y, 0));

  cudaGraphExec_t ready = nullptr;
  OK(cudaGraphInstantiate(&ready, whole, 0));
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaDeviceSynchronize());
  IS(factor.calls == 1);

  // Out of a copy of what it has made, it makes the same: out = aside, then out = 3 x + y.
  float* zeros = nullptr;
  OK(cudaMalloc(&zeros, n * sizeof(float)));
  OK(cudaMemset(zeros, 0, n * sizeof(float)));
  OK(cudaMemset(out, 0, n * sizeof(float)));
  OK(cudaGraphNodeSetEnabled(ready, child, 0));
  OK(cudaGraphExecMemcpyNodeSetParams1D(ready, memory, out, aside, n * sizeof(float),
                                        cudaMemcpyDeviceToDevice));
  const float* scaled = aside;
  const float* rest = zeros;
  void* values[] = {&out, &scaled, &rest, &n};
  cudaKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(add_kernel);
  launch.gridDim = dim3((n + 255) / 256);
  launch.blockDim = dim3(256);
  launch.kernelParams = values;
  OK(cudaGraphExecKernelNodeSetParams(ready, more, &launch));
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaDeviceSynchronize());
  IS(factor.calls == 1);
  OK(cudaGraphExecDestroy(ready));
  OK(cudaGraphDestroy(whole));
  OK(cudaFree(zeros));
  return cudaFree(aside);
}

}  // namespace

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  Factor factor = {};
  OK(cudaMallocHost(&factor.host, sizeof(float)));
  *factor.host = 0;
  cudaGraph_t graph = nullptr;
  OK(cudaGraphCreate(&graph, 0));
  OK(build(graph, factor, out, x, y, n));
  OK(run(graph, factor, out, x, y, n));
  OK(cudaGraphDestroy(graph));
  return cudaFreeHost(factor.host);
}
