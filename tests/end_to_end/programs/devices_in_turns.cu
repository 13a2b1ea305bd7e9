// Kernels of two devices, each in its device's default stream, that answer each other's flags.
#include <cstdio>

constexpr int kBlocks = 8, kRounds = 4;

__global__ void answer(const volatile int* mine, int* theirs) {
  if (threadIdx.x != 0) return;
  for (int round = 1; round <= kRounds; ++round) {
    atomicExch_system(&theirs[blockIdx.x], round);
    while (mine[blockIdx.x] < round) {
    }
  }
}

int main() {
  int* flags[2];
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    cudaDeviceEnablePeerAccess(1 - device, 0);
    cudaMalloc(&flags[device], kBlocks * sizeof(int));
    cudaMemset(flags[device], 0, kBlocks * sizeof(int));
    cudaDeviceSynchronize();
  }
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    answer<<<kBlocks, 32>>>(flags[device], flags[1 - device]);
  }
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(flags[device]);
  }
}
