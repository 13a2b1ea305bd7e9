// link: cublas
// The library's way: cuBLAS leaves the sums as integers, and a second kernel applies the scales.
#include <cublas_v2.h>

#include <cstddef>

#include "epilogue.h"
#include "quantised_matmul.h"

constexpr int kThreads = 256;

/// Four neighbours a thread: n is a multiple of 8.
__global__ void scale_kernel(uint2* c, const int4* sums, const float* a_scale, const float4* b_scale, int n,
                             std::size_t count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= count) return;
  const int4 sum = sums[i];
  const float of_row = a_scale[i * 4 / n];
  const float4 of_cols = b_scale[i % (n / 4)];
  c[i] = make_uint2(pack(static_cast<float>(sum.x) * (of_row * of_cols.x),
                         static_cast<float>(sum.y) * (of_row * of_cols.y)),
                    pack(static_cast<float>(sum.z) * (of_row * of_cols.z),
                         static_cast<float>(sum.w) * (of_row * of_cols.w)));
}

cudaError_t int8_matmul(__nv_bfloat16* c, const signed char* a, const signed char* b, const float* a_scale,
                        const float* b_scale, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);
  static const cublasHandle_t handle = [] {  // made once; the first run, which is not timed, pays for it
    cublasHandle_t made = nullptr;
    return cublasCreate(&made) == CUBLAS_STATUS_SUCCESS ? made : nullptr;
  }();
  if (!handle) return cudaErrorInitializationError;
  static int* sums = nullptr;  // kept from call to call, as large as the largest so far
  static std::size_t room = 0;
  const std::size_t count = static_cast<std::size_t>(m) * n;
  if (count > room) {
    cudaError_t error = cudaFree(sums);
    if (error == cudaSuccess) error = cudaMalloc(&sums, count * sizeof(int));
    room = error == cudaSuccess ? count : 0;
    if (error != cudaSuccess) return error;
  }
  // cuBLAS is column-major: it takes our matrices for their transposes, and (A B^T)^T is B A^T.
  const int one = 1, zero = 0;
  const cublasStatus_t status =
      cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_8I, k, a, CUDA_R_8I, k, &zero,
                   sums, CUDA_R_32I, n, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT);
  if (status == CUBLAS_STATUS_SUCCESS)
    scale_kernel<<<static_cast<unsigned>((count / 4 + kThreads - 1) / kThreads), kThreads>>>(
        reinterpret_cast<uint2*>(c), reinterpret_cast<const int4*>(sums), a_scale,
        reinterpret_cast<const float4*>(b_scale), n, count / 4);
  return status == CUBLAS_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}
