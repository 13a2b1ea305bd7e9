// A handover as it is written in CUDA C++: the fence is missing on the reader's side.
#include <cassert>
#include <cstdio>

__global__ void handover(int* message, int* flag, int* seen) {
  if (blockIdx.x == 0) {
    *message = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    const int set = atomicAdd(flag, 0);
#ifdef FENCED
    __threadfence();
#endif
    seen[0] = set;
    seen[1] = *message;
  }
}

int main() {
  int *message, *flag, *seen, host[2];
  cudaMalloc(&message, sizeof(int));
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&seen, sizeof host);
  cudaMemset(message, 0, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  handover<<<2, 1>>>(message, flag, seen);
  cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("flag %d, message %d\n", host[0], host[1]);
  assert(host[0] == 0 || host[1] == 42);
}
