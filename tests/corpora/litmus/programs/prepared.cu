// Two kernels before the one that matters, which has a name.
__device__ int x, y, r[2];

__global__ void prepare() { x = y = 1; }

__global__ void kernel() {
  volatile int* const mine = blockIdx.x == 0 ? &x : &y;
  volatile int* const other = blockIdx.x == 0 ? &y : &x;
  *mine = 5;
  r[blockIdx.x] = *other;
}

int main() {
  prepare<<<1, 1>>>();
  kernel<<<2, 1>>>();
  int host[2];
  cudaMemcpyFromSymbol(host, r, sizeof host);
  return host[0] == 1 && host[1] == 1 ? 1 : 0;
}
