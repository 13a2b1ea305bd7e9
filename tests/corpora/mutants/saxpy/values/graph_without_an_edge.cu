// The copy that brings the sum to its place does not come after the kernel that makes it.
#include "saxpy.h"

__global__ void saxpy_kernel(float* sum, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  const std::size_t bytes = n * sizeof(float);
  float* sum = nullptr;
  cudaMalloc(&sum, bytes);
  cudaMemset(sum, 0, bytes);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphNode_t leave, work;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNode1D(&leave, graph, nullptr, 0, out, sum, bytes, cudaMemcpyDeviceToDevice);
  void* arguments[] = {&sum, &x, &y, &n};
  cudaKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(saxpy_kernel);
  launch.gridDim = dim3((n + 255) / 256);
  launch.blockDim = dim3(256);
  launch.kernelParams = arguments;
  cudaGraphAddKernelNode(&work, graph, nullptr, 0, &launch);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, nullptr);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(sum);
  return cudaGetLastError();
}
