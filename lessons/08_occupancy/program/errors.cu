// How far off the fast functions are, and the accurate ones, on arguments like those of the lesson.
//   ./ladder sim lessons/08_occupancy/program/errors.cu          without a GPU
//   nvcc -arch=native -o errors errors.cu && ./errors            on one
#include <cstdio>

#include "../../../common/cuda_check.h"

constexpr int kSamples = 1 << 17;  // arguments tried for each row of the table
constexpr int kBlock = 256;

/// The largest of errors that are not negative; their bits as integers are in the same order.
__device__ void raise(float* largest, double error) {
  atomicMax(reinterpret_cast<int*>(largest), __float_as_int(float(error)));
}

/// The argument of this thread, evenly from low to high.
__device__ float my_argument(float low, float high) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  return low + (high - low) * (float(i) + 0.5f) / kSamples;
}

/// The argument is in turns, as a phase is in the lesson. What a whole turn changes is nothing.
__global__ void sine_errors(float* largest, float low, float high) {
  constexpr float kTwoPi = 6.2831853f;
  const float turns = my_argument(low, high);
  const double truth = sinpi(2 * double(turns));
  raise(&largest[0], fabs(sinf(kTwoPi * turns) - truth));
  raise(&largest[1], fabs(__sinf(kTwoPi * turns) - truth));
  raise(&largest[2], fabs(__sinf(kTwoPi * (turns - rintf(turns))) - truth));
}

__global__ void exponential_errors(float* largest, float low, float high) {
  const float x = my_argument(low, high);
  const double truth = exp(double(x));
  raise(&largest[0], fabs(expf(x) - truth) / truth);
  raise(&largest[1], fabs(__expf(x) - truth) / truth);
}

__global__ void root_errors(float* largest, float low, float high) {
  const float x = my_argument(low, high);
  const double truth = 1 / sqrt(double(x));
  raise(&largest[0], fabs(1 / sqrtf(x) - truth) / truth);
  raise(&largest[1], fabs(rsqrtf(x) - truth) / truth);
}

/// Runs one of the kernels and prints a line.
void report(const char* what, void (*kernel)(float*, float, float), float low, float high, int columns) {
  float* largest;
  CUDA_CHECK(cudaMalloc(&largest, 3 * sizeof(float)));
  CUDA_CHECK(cudaMemset(largest, 0, 3 * sizeof(float)));
  kernel<<<kSamples / kBlock, kBlock>>>(largest, low, high);
  CUDA_CHECK(cudaGetLastError());
  float errors[3];
  CUDA_CHECK(cudaMemcpy(errors, largest, sizeof errors, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(largest));
  std::printf("%-30s", what);
  for (int column = 0; column < columns; ++column) std::printf("  %10.1e", errors[column]);
  std::printf("\n");
}

int main() try {
  std::printf("%-30s  %10s  %10s  %10s\n", "largest error", "accurate", "fast", "reduced");
  report("sine, half a turn: absolute", sine_errors, -0.5f, 0.5f, 3);
  report("sine, up to 30 turns", sine_errors, 0, 30, 3);
  report("sine, up to 3000 turns", sine_errors, 0, 3000, 3);
  report("exponential, -1 to 0: relative", exponential_errors, -1, 0, 2);
  report("exponential, -80 to 0: relative", exponential_errors, -80, 0, 2);
  report("1 / root, 1 to 100: relative", root_errors, 1, 100, 2);
} catch (const std::exception& error) {
  std::fprintf(stderr, "errors: %s\n", error.what());
  return 1;
}
