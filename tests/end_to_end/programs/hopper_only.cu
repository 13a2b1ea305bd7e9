// Says whether it was compiled for sm_90a; with an argument, launches what the simulator does not have.
#include <cstdio>

__global__ void say() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  printf("all of sm_90\n");
#else
  printf("sm_90 at most\n");
#endif
}

__global__ void reduce_over_gpus(int* out, int* multicast) {
  int sum;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.s32 %0, [%1];" : "=r"(sum) : "l"(multicast));
  *out = sum;
}

int main(int argc, char**) {
  if (argc == 1) {
    say<<<1, 1>>>();
    return cudaDeviceSynchronize();
  }
  int* d = nullptr;
  cudaMalloc(&d, sizeof *d);
  reduce_over_gpus<<<1, 1>>>(d, d);  // looks at no error
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("%s\n", cudaGetErrorName(cudaMemset(d, 0, sizeof *d)));
  return 0;
}
