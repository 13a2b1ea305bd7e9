// What cannot be explored: one kernel for each -DKERNEL=.
__device__ int out[64];
__device__ long long wide;

__global__ void shuffle() { out[threadIdx.x] = __shfl_xor_sync(3, int(threadIdx.x), 1); }

__global__ void mixed_sizes() {
  if (threadIdx.x == 0) wide = 1;
  if (threadIdx.x == 1) *reinterpret_cast<volatile int*>(&wide) = 2;
}

__global__ void too_many_threads() { atomicAdd(out, 1); }

__global__ void votes() { out[threadIdx.x] = __syncthreads_or(int(threadIdx.x)); }

__global__ void allocates() { out[threadIdx.x] = *static_cast<int*>(malloc(sizeof(int))); }

/// Nobody ever sets what the thread waits for.
__global__ void never_ends() {
  while (*static_cast<volatile int*>(out) == 0) continue;
  out[1] = 1;
}

int main() { KERNEL<<<1, KERNEL == too_many_threads ? 32 : 2>>>(); }
