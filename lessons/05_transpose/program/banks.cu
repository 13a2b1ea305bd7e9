// Which words of shared memory do lanes read side by side, and for which do they queue?
#include <cstdio>

/// Every lane reads the word at `stride` times its number.
template <int kStride>
__global__ void read_kernel(int* out) {
  __shared__ int words[32 * 64];
  for (int i = threadIdx.x; i < 32 * 64; i += 32) words[i] = i;
  __syncwarp();
  out[threadIdx.x] = words[kStride * threadIdx.x];
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(int));
  read_kernel<0><<<1, 32>>>(out);
  read_kernel<1><<<1, 32>>>(out);
  read_kernel<2><<<1, 32>>>(out);
  read_kernel<32><<<1, 32>>>(out);
  read_kernel<33><<<1, 32>>>(out);
  read_kernel<34><<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
