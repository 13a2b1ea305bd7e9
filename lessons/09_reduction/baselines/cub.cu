// The library's way: cub::DeviceReduce, which comes with the CUDA toolkit.
#include <cub/device/device_reduce.cuh>

#include "operators.h"
#include "reduction.h"

template <class Op>
struct Combine {
  __device__ float operator()(float a, float b) const { return Op::combine(a, b); }
};

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  // CUB is asked for the size of its own scratch memory first, which costs no launch.
  const auto run = [&](void* memory, std::size_t& bytes) {
    if (operation == Operation::sum) return cub::DeviceReduce::Sum(memory, bytes, in, out, n);
    return cub::DeviceReduce::Reduce(memory, bytes, in, out, n, Combine<Max>{}, -INFINITY);
  };
  std::size_t bytes = 0;
  const cudaError_t error = run(nullptr, bytes);
  if (error != cudaSuccess) return error;
  if (bytes > scratch_elements(n) * sizeof(float)) return cudaErrorMemoryAllocation;
  return run(scratch, bytes);
}
