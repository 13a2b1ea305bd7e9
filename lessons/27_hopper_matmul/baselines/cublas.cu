// link: cublas
// The library's way: bf16 in and out, sums in single precision.
#include <cublas_v2.h>

#include "hopper_matmul.h"

cudaError_t hopper_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n,
                          int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  static const cublasHandle_t handle = [] {  // made once; the first run, which is not timed, pays for it
    cublasHandle_t made = nullptr;
    return cublasCreate(&made) == CUBLAS_STATUS_SUCCESS ? made : nullptr;
  }();
  if (!handle) return cudaErrorInitializationError;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);
  // cuBLAS is column-major: it takes our matrices for their transposes, and (A B^T)^T is B A^T.
  const float one = 1.0f, zero = 0.0f;
  const cublasStatus_t status =
      cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_16BF, k, a, CUDA_R_16BF, k,
                   &zero, c, CUDA_R_16BF, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  return status == CUBLAS_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}
