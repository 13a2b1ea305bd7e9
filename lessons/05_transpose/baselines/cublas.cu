// link: cublas
// The library's way: C = alpha * A^T + beta * B with alpha 1 and beta 0.
#include <cublas_v2.h>

#include "transpose.h"

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  static const cublasHandle_t handle = [] {  // made once; the first run, which is not timed, pays for it
    cublasHandle_t made = nullptr;
    return cublasCreate(&made) == CUBLAS_STATUS_SUCCESS ? made : nullptr;
  }();
  if (!handle) return cudaErrorInitializationError;
  // cuBLAS is column-major: our row-major rows x cols matrix is its cols x rows one, and `out` its rows x
  // cols.
  const float one = 1.0f, zero = 0.0f;
  const cublasStatus_t status =
      cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, in, cols, &zero, out, rows, out, rows);
  return status == CUBLAS_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}
