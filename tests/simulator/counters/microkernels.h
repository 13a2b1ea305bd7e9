// What the microkernels share: buffers, and the announcement of each launch by its name.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <vector>

/// Called with a name just before each launch, so that whoever counts can tell the launches apart.
using Announce = void (*)(const char* name);
inline Announce announce = nullptr;

/// Announces a launch. Every announcement is followed by exactly one kernel.
inline void next(const std::string& name) { announce(name.c_str()); }

/// Device memory that is never freed: the program is short. Zeroed, so that gathers by data stay inside.
template <class T>
T* device_zeros(std::size_t n) {
  T* p = nullptr;
  cudaMalloc(&p, n * sizeof(T));
  cudaMemset(p, 0, n * sizeof(T));
  return p;
}

template <class T>
T* device_copy(const std::vector<T>& values) {
  T* p = nullptr;
  cudaMalloc(&p, values.size() * sizeof(T));
  cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

/// A fixed sequence of numbers: the same on every machine, so that recorded counts stay comparable.
struct Sequence {
  unsigned state;
  unsigned operator()() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
};
