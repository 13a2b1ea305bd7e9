// Several small programs in one file: the first argument names the one to run, none lists them all.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline bool& failed() {
  static bool some = false;
  return some;
}

struct Registered {
  Registered(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

/// CASE(name) { ... } is the host half of a program.
#define CASE(name)                                          \
  static void name##_case();                                \
  static const Registered name##_entry(#name, name##_case); \
  static void name##_case()

/// What a correct program says of its own results.
#define CHECK_THAT(condition)                                                                          \
  do {                                                                                                 \
    if (!(condition)) failed() = true, std::printf("%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
  } while (false)

/// Device memory of n elements, all known: element i is first + i * step. Freed at the end of its scope.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t n, T first = T(), T step = T()) : n_(n) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(first + static_cast<T>(i) * step);
    cudaMalloc(&data_, n * sizeof(T));
    cudaMemcpy(data_, values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  operator T*() const { return data_; }

  std::vector<T> host() const {
    std::vector<T> values(n_);
    cudaMemcpy(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

/// Waits for the kernels before it and asks what became of them, as every program ought to.
inline void finish() {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) failed() = true, std::printf("%s\n", cudaGetErrorString(error));
}

int main(int argc, char** argv) {
  for (const Case& c : cases()) {
    if (argc < 2) {
      std::puts(c.name);
    } else if (std::strcmp(argv[1], c.name) == 0) {
      c.run();
      return failed() ? 1 : 0;
    }
  }
  return argc < 2 ? 0 : 2;
}
