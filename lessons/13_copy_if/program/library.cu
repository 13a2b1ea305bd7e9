// copy_if by two libraries of the CUDA toolkit: Thrust, which is used like the C++ standard library, and CUB,
// on which it is built. The second one is yours.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_select.cuh>
#include <iterator>
#include <vector>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Which elements are wanted: a function object, since both libraries call it on the device.
struct Positive {
  __host__ __device__ bool operator()(int value) const { return value > 0; }
};

/// @return how many were copied. Thrust allocates the memory that it needs on the way, and waits for the
/// result.
static int by_thrust(int* out, const int* in, int n) {
  return static_cast<int>(thrust::copy_if(thrust::device, in, in + n, out, Positive{}) - out);
}

/// @return how many were copied, or -1: not written yet
static int by_cub(int* out, const int* in, int n) {
  // Yours. cub::DeviceSelect::If(memory, bytes, in, out, kept, n, Positive{}) is called twice: with a null
  // pointer for `memory` it does nothing but say how many bytes it needs; then it selects. `kept` is an int
  // on the device.
  (void)out, (void)in, (void)n;
  return -1;
}

static void report(const char* name, int count, const int* out, const std::vector<int>& expected) {
  if (count < 0) {
    std::printf("%-6s  not written yet\n", name);
    return;
  }
  std::vector<int> got(static_cast<std::size_t>(count));
  check(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%-6s  %s, %d kept\n", name, got == expected ? "right" : "wrong", count);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100'003;
  std::vector<int> values(static_cast<std::size_t>(n)), expected;
  for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = i % 3 == 0 ? i + 1 : -i;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected), Positive{});
  const std::size_t bytes = values.size() * sizeof(int);
  int *in = nullptr, *out = nullptr;
  check(cudaMalloc(&in, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice));
  report("Thrust", by_thrust(out, in, n), out, expected);
  check(cudaMemset(out, 0, bytes));
  report("CUB", by_cub(out, in, n), out, expected);
  check(cudaFree(in));
  check(cudaFree(out));
}
