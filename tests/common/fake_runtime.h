// A CUDA runtime of five functions that do as a test tells them, so that common/ is tested without any GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

struct FakeRuntime {
  cudaError_t device_error = cudaSuccess;  ///< what cudaGetDevice returns
  int multiprocessors = 132;
  const void* prefetched = nullptr;  ///< the last prefetch
  std::size_t prefetched_bytes = 0;
  cudaMemLocation prefetched_to = {};
};

/// The one the fake functions look at.
FakeRuntime& fake_runtime();
