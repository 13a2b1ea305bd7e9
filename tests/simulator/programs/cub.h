// What the CUB programs share: their input, and calling an algorithm as CUB wants it.
#pragma once

#include "program.h"

inline std::vector<int> cub_input(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  unsigned state = 1;
  for (int& value : values) value = static_cast<int>((state = state * 1664525u + 1013904223u) >> 24) - 100;
  return values;
}

/// Calls an algorithm twice: for the size of its workspace, then for its work.
template <class Call>
bool with_workspace(Call&& call) {
  std::size_t bytes = 0;
  CUDA_OK(call(nullptr, bytes));
  void* workspace = nullptr;
  CUDA_OK(cudaMalloc(&workspace, bytes));
  CUDA_OK(call(workspace, bytes));
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaFree(workspace));
  return true;
}
