// link: cublasLt
// The library's way: cuBLASLt takes a scale for each row and column, and rounds to bf16 itself. Asked for
// exact sums, it takes them out of the Tensor Cores as rung 5 does.
#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

#include "quantised_matmul.h"

namespace {

constexpr std::size_t kWorkspace = 32 << 20;

/// What is the same for all calls; made once, and the first run, which is not timed, pays for it.
struct Library {
  cublasLtHandle_t handle = nullptr;
  void* workspace = nullptr;
  bool ready = false;
  Library() {
    ready =
        cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS && cudaMalloc(&workspace, kWorkspace) == cudaSuccess;
  }
};

/// Sets an attribute of a product. @return whether that went well
template <class T>
bool set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t what, const T& value) {
  return cublasLtMatmulDescSetAttribute(product, what, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cudaError_t fp8_matmul(__nv_bfloat16* c, const unsigned char* a, const unsigned char* b, const float* a_scale,
                       const float* b_scale, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);
  static const Library library;
  if (!library.ready) return cudaErrorInitializationError;
  // The library is column-major: it takes our matrices for their transposes, and (A B^T)^T is B A^T.
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t of_a = nullptr, of_b = nullptr, of_c = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  bool well = cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS &&
              cublasLtMatrixLayoutCreate(&of_a, CUDA_R_8F_E4M3, k, m, k) == CUBLAS_STATUS_SUCCESS &&
              cublasLtMatrixLayoutCreate(&of_b, CUDA_R_8F_E4M3, k, n, k) == CUBLAS_STATUS_SUCCESS &&
              cublasLtMatrixLayoutCreate(&of_c, CUDA_R_16BF, n, m, n) == CUBLAS_STATUS_SUCCESS &&
              cublasLtMatmulPreferenceCreate(&preference) == CUBLAS_STATUS_SUCCESS;
  constexpr cublasLtMatmulMatrixScale_t kOuter = CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
  well = well && set(product, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T) &&
         set(product, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N) &&
         set(product, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, kOuter) &&
         set(product, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, kOuter) &&
         set(product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, b_scale) &&
         set(product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, a_scale) &&
         set(product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{0}) &&
         cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                              &kWorkspace, sizeof kWorkspace) == CUBLAS_STATUS_SUCCESS &&
         cublasLtMatmulAlgoGetHeuristic(library.handle, product, of_b, of_a, of_c, of_c, preference, 1,
                                        &found, &count) == CUBLAS_STATUS_SUCCESS &&
         count > 0;
  const float one = 1, zero = 0;
  well = well && cublasLtMatmul(library.handle, product, &one, b, of_b, a, of_a, &zero, c, of_c, c, of_c,
                                &found.algo, library.workspace, kWorkspace, nullptr) == CUBLAS_STATUS_SUCCESS;
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatrixLayoutDestroy(of_c);
  cublasLtMatrixLayoutDestroy(of_b);
  cublasLtMatrixLayoutDestroy(of_a);
  cublasLtMatmulDescDestroy(product);
  return well ? cudaGetLastError() : cudaErrorUnknown;
}
