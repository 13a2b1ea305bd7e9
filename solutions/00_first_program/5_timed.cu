// Rung 5: how long does a kernel take, and is what it computed right? Events, and a check on the CPU.
#include <cmath>

#include "common/cuda_check.h"
#include "first_program.h"

__global__ void double_kernel(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i] + 1;
}

/// Puts the kernel into the default stream, and returns before it has run.
inline void launch_double(float* out, const float* in, int n) {
  constexpr int kBlock = 256;
  double_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(out, in, n);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t time_kernel(float* out, const float* in, int n, int runs, float& ms) {
  launch_double(out, in, n);  // not measured: the first launch of a kernel also loads its code
  // TODO(1): create two events (cudaEventCreate); record the first in the default stream (cudaEventRecord),
  //          launch `runs` times, record the second. An event is a mark in the stream: the GPU writes down
  //          the time when it gets there. Wait for the second one (cudaEventSynchronize); then the time
  //          between the two is known, and `ms` is its part for one run. Destroy both. All in CUDA_CHECK
  //          (11 lines).
  // BEGIN SOLUTION
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start));
  for (int run = 0; run < runs; ++run) launch_double(out, in, n);
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));  // the launches returned at once; this waits for the last of them
  CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
  ms /= runs;
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  // END SOLUTION
  return cudaSuccess;
}

int count_wrong(const float* got, const float* want, int n, float tolerance) {
  int wrong = 0;
  // TODO(2): count. Every comparison with a NaN is false: ask in such a way that a NaN is counted (2 lines).
  // BEGIN SOLUTION
  for (int i = 0; i < n; ++i)
    if (!(std::fabs(got[i] - want[i]) <= tolerance)) ++wrong;
  // END SOLUTION
  return wrong;
}
