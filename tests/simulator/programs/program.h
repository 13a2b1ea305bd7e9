// What a test program is: a CUDA module with `check()`,
// which tests/simulator/cudart/programs.cpp opens and calls.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define CUDA_OK(call)                                                                      \
  do {                                                                                     \
    const cudaError_t code = (call);                                                       \
    if (code != cudaSuccess) {                                                             \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code)); \
      return false;                                                                        \
    }                                                                                      \
  } while (0)

#define EXPECT(condition)                                                 \
  do {                                                                    \
    if (!(condition)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return false;                                                       \
    }                                                                     \
  } while (0)

/// Device copy of host values; null on failure.
template <class T>
T* to_device(const std::vector<T>& values) {
  T* device = nullptr;
  if (cudaMalloc(&device, values.size() * sizeof(T)) != cudaSuccess) return nullptr;
  cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class T>
std::vector<T> to_host(const T* device, std::size_t n) {
  std::vector<T> values(n);
  cudaMemcpy(values.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}
