// The library's product of groups of several sizes, which the host has to know.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cstdint>
#include <vector>

#include "grouped_matmul.h"

/// grouped_matmul() by cuBLAS: bf16 in and out, sums in single precision.
inline cudaError_t library_products(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w,
                                    const int* start, int experts, int rows, int n, int k) {
  if (rows == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(y, 0, sizeof(__nv_bfloat16) * rows * n);
  static cublasHandle_t handle = nullptr;  // made once, as the memory for pointers; the first run pays for it
  static const void** places = nullptr;    // device: of all w, all x and all y
  if (!handle && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return cudaErrorInitializationError;
  cudaError_t error = places ? cudaSuccess : cudaMalloc(&places, 3 * kMostExperts * sizeof(void*));
  if (error != cudaSuccess) return error;
  int first[kMostExperts + 1];
  error = cudaMemcpy(first, start, sizeof(int) * (experts + 1), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return error;
  std::vector<const void*> all_w, all_x, all_y;
  std::vector<int> heights;
  for (int e = 0; e < experts; ++e) {
    if (first[e] == first[e + 1]) continue;
    heights.push_back(first[e + 1] - first[e]);
    all_w.push_back(w + static_cast<std::int64_t>(e) * n * k);
    all_x.push_back(x + static_cast<std::int64_t>(first[e]) * k);
    all_y.push_back(y + static_cast<std::int64_t>(first[e]) * n);
  }
  const int groups = static_cast<int>(heights.size());
  std::vector<const void*> all = all_w;
  all.insert(all.end(), all_x.begin(), all_x.end());
  all.insert(all.end(), all_y.begin(), all_y.end());
  error = cudaMemcpyAsync(places, all.data(), all.size() * sizeof(void*), cudaMemcpyHostToDevice);
  if (error != cudaSuccess) return error;
  // cuBLAS is column-major: it takes our matrices for their transposes, and (X W^T)^T is W X^T.
  const std::vector<cublasOperation_t> transposed(groups, CUBLAS_OP_T), plain(groups, CUBLAS_OP_N);
  const std::vector<int> all_n(groups, n), all_k(groups, k), ones(groups, 1);
  const std::vector<float> one(groups, 1.0f), zero(groups, 0.0f);
  const cublasStatus_t status = cublasGemmGroupedBatchedEx(
      handle, transposed.data(), plain.data(), all_n.data(), heights.data(), all_k.data(), one.data(), places,
      CUDA_R_16BF, all_k.data(), places + groups, CUDA_R_16BF, all_k.data(), zero.data(),
      const_cast<void**>(places + 2 * groups), CUDA_R_16BF, all_n.data(), groups, ones.data(),
      CUBLAS_COMPUTE_32F);
  return status == CUBLAS_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}

/// The memory that a baseline needs beside its arrays, as large as it was ever wanted.
inline cudaError_t library_memory(__nv_bfloat16** memory, std::int64_t elements) {
  static __nv_bfloat16* held = nullptr;
  static std::int64_t room = 0;
  cudaError_t error = cudaSuccess;
  if (elements > room) {
    error = cudaFree(held);
    held = nullptr;
    if (error == cudaSuccess) error = cudaMalloc(&held, elements * sizeof(__nv_bfloat16));
    room = error == cudaSuccess ? elements : 0;
  }
  *memory = held;
  return error;
}
