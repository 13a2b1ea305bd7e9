// Right, but leaves a process behind that has left its group.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "saxpy.h"

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 3 && fork() == 0) {
    setsid();
    if (fork() == 0) {
      if (FILE* file = std::fopen(std::getenv("LADDER_TEST_PID_FILE"), "w")) {
        std::fprintf(file, "%d\n", getpid());
        std::fclose(file);
      }
      sleep(60);
    }
    _exit(0);
  }
  for (int i = 0; i < n; ++i) out[i] = 3 * x[i] + y[i];
  return cudaSuccess;
}
