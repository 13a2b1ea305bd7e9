// Right, but a stream captures a copy of the factor, which is in a variable of the host's when the graph
// runs.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n, const float* factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor[0] * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  static float three = 0;
  float* factor = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaMalloc(&factor, sizeof(float));
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  const cudaError_t error = cudaMemcpyAsync(factor, &three, sizeof(float), cudaMemcpyHostToDevice, stream);
  if (error != cudaSuccess) return error;
  saxpy_kernel<<<(n + 255) / 256, 256, 0, stream>>>(out, x, y, n, factor);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  three = 3;
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  three = 0;
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(factor);
  return cudaGetLastError();
}
