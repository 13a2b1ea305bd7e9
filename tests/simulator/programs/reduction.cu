// Shared memory, barriers, shuffles, atomics, templates, dynamic shared memory.
#include "program.h"

template <int kBlock>
__global__ void reduce(double* out, const float* in, int n) {
  __shared__ double partial[kBlock / 32];
  double sum = 0;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) sum += in[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kBlock / 32; ++w) sum += partial[w];
    atomicAdd(out, sum);
  }
}

__global__ void tree_max(int* out, const int* in, int n) {
  extern __shared__ int values[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : -2147483647 - 1;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] = max(values[threadIdx.x], values[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) atomicMax(out, values[0]);
}

extern "C" bool check() {
  const int n = 100003;
  std::vector<float> in(n);
  std::vector<int> keys(n);
  double sum = 0;
  int largest = -1;
  for (int i = 0; i < n; ++i) {
    in[i] = static_cast<float>(i % 1000) / 8;
    keys[i] = static_cast<int>(i * 2654435761u >> 4);
    sum += in[i];
    largest = std::max(largest, keys[i]);
  }
  float* d_in = to_device(in);
  int* d_keys = to_device(keys);
  double* d_sum = to_device(std::vector<double>{0});
  int* d_max = to_device(std::vector<int>{-1});
  reduce<128><<<17, 128>>>(d_sum, d_in, n);
  tree_max<<<(n + 511) / 512, 512, 512 * sizeof(int)>>>(d_max, d_keys, n);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(to_host(d_sum, 1)[0] == sum);
  EXPECT(to_host(d_max, 1)[0] == largest);
  for (void* p : {(void*)d_in, (void*)d_keys, (void*)d_sum, (void*)d_max}) CUDA_OK(cudaFree(p));
  return true;
}
