// Waits for Ctrl-C: handles it; "plainly", does not; in a "kernel" that runs long, behind a mistake.
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstring>

__global__ void count(volatile unsigned* n) {
  for (unsigned i = 0; i != 4000000000u; ++i) *n = i;
}

int main(int argc, char** argv) {
  if (argc == 1) {
    std::signal(SIGINT, [](int) {
      (void)!write(1, "caught\n", 7);
      _exit(17);
    });
  }
  unsigned* n = nullptr;
  const unsigned two[2] = {};
  const bool in_kernel = argc > 1 && std::strcmp(argv[1], "kernel") == 0;
  if (in_kernel) {
    cudaMalloc(&n, sizeof *n);
    cudaMemcpy(n, two, sizeof two, cudaMemcpyHostToDevice);
  }
  std::printf("waiting\n");
  std::fflush(stdout);
  if (in_kernel) count<<<1, 32>>>(n), cudaDeviceSynchronize();
  for (;;) pause();
}
