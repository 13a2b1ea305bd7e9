// The kernel itself says what is right.
#include <cassert>
#include <cuda/atomic>

__device__ int message, flag;

__global__ void kernel() {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
  if (blockIdx.x == 0) {
    message = 1;
    ready.store(1, ORDER);
  } else if (ready.load(cuda::memory_order_acquire) == 1) {
    assert(message == 1);
  }
}

int main() {
  kernel<<<2, 1>>>();
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
