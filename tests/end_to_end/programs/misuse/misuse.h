// Calls that are wrong, one after the other, and what each of them answers: the codes on a GPU are the truth
// that the simulator's are held against (h200.txt).
#pragma once

#include <cuda_runtime.h>

/// A group of calls that runs in a process of its own, so that none suffers from what another broke.
struct Group {
  const char* name;
  void (*run)();
  Group* next;
  Group(const char* n, void (*r)());
};

/// Prints "group.label CODE LAST": the code, and what cudaGetLastError() gives then.
void tell(const char* label, cudaError_t code);

/// Prints "group.label = VALUE".
void show(const char* label, long long value);

#define MISUSE(group)                                   \
  static void group();                                  \
  static const Group group##_registered{#group, group}; \
  static void group()

/// A kernel that is launched where a launch is needed.
extern __global__ void plain_kernel(int* out);

/// Fresh device memory.
template <class T = int>
T* device_memory(int count = 256) {
  void* p = nullptr;
  cudaMalloc(&p, sizeof(T) * static_cast<size_t>(count));
  return static_cast<T*>(p);
}
