// The kernel of a graph gets one element too many.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphNode_t work;
  cudaGraphCreate(&graph, 0);
  int more = n + 1;
  void* arguments[] = {&out, &x, &y, &more};
  cudaKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(saxpy_kernel);
  launch.gridDim = dim3((n + 256) / 256);
  launch.blockDim = dim3(256);
  launch.kernelParams = arguments;
  cudaGraphAddKernelNode(&work, graph, nullptr, 0, &launch);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, nullptr);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  return cudaGetLastError();
}
