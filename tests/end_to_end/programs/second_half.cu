// Defines them, and has a static function of the same name as the first file's.
#include "shared.h"

__device__ int offset = 1000;
static __device__ int own(int x) { return x * 2; }
__device__ int shifted(int x) { return own(x) + 100; }

int host_side() {
  int value = 0;
  cudaMemcpyFromSymbol(&value, offset, sizeof value);
  return value;
}
