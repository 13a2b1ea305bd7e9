// Memory, variables and errors of two devices.
#include <cstdio>

__device__ int counter;

__global__ void fill(int* out, int value) {
  out[threadIdx.x] = value;
  if (threadIdx.x == 0) atomicAdd(&counter, value);
}
__global__ void add(int* to, const int* from) { to[threadIdx.x] += from[threadIdx.x]; }

int main() {
  int count = 0, can = 0, value = 0;
  int* buffer[2];
  cudaStream_t stream[2];
  cudaGetDeviceCount(&count);
  std::printf("%d devices\n", count);
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(i);
    cudaMalloc(&buffer[i], 32 * sizeof(int));
    cudaStreamCreate(&stream[i]);
    fill<<<1, 32, 0, stream[i]>>>(buffer[i], i + 1);
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    std::printf("counter %d\n", value);
  }
  cudaDeviceCanAccessPeer(&can, 0, 1);
  cudaSetDevice(0);
  std::printf("peers %d, %s\n", can, cudaGetErrorName(cudaSetDevice(2)));
  cudaGetLastError();
  fill<<<1, 32, 0, stream[1]>>>(buffer[0], 9);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaDeviceEnablePeerAccess(1, 0);
  add<<<1, 32>>>(buffer[0], buffer[1]);
  cudaMemcpy(&value, buffer[0] + 5, sizeof value, cudaMemcpyDefault);
  std::printf("%d %s\n", value, cudaGetErrorName(cudaDeviceSynchronize()));

  // A pool opens its memory to a device by itself.
  cudaMemPool_t pool;
  cudaMemAccessFlags access;
  cudaMemLocation second{cudaMemLocationTypeDevice, 1};
  const cudaMemAccessDesc open{second, cudaMemAccessFlagsProtReadWrite};
  int* shared;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemPoolGetAccess(&access, pool, &second);
  std::printf("access %d", access);
  cudaMemPoolSetAccess(pool, &open, 1);
  cudaMemPoolGetAccess(&access, pool, &second);
  std::printf(", then %d\n", access);
  cudaMallocAsync(&shared, 32 * sizeof(int), 0);
  fill<<<1, 32>>>(shared, 5);
  cudaDeviceSynchronize();
  cudaSetDevice(1);
  add<<<1, 32>>>(shared, buffer[1]);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));

  add<<<1, 32>>>(buffer[1], buffer[0]);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaSetDevice(0);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
