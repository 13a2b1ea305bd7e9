// link: cublas
// What one would put together without a fused kernel: cuBLAS for both products, batched over the heads of
// keys, and between them a kernel that leaves the weights as bf16 where the scores were. For sequences that
// are all as long as the longest: a product has no lengths.
#include <cublas_v2.h>

#include <cstddef>

#include "decode_attention.h"

constexpr int kThreads = 256;

/// A block a row of scores, which becomes a row of bf16 at the same place.
__global__ void softmax_kernel(float* scores, int keys) {
  float* const score = scores + static_cast<std::size_t>(blockIdx.x) * keys;
  auto* const weight = reinterpret_cast<__nv_bfloat16*>(score);
  __shared__ Softmax part[kThreads];
  Softmax own = {-INFINITY, 0};
  for (int key = threadIdx.x; key < keys; key += kThreads) {
    const float most = fmaxf(own.most, score[key]);
    own = {most, own.sum * __expf(own.most - most) + __expf(score[key] - most)};
  }
  part[threadIdx.x] = own;
  __syncthreads();
  Softmax all = {-INFINITY, 0};
  for (int i = 0; i < kThreads; ++i) all.most = fmaxf(all.most, part[i].most);
  for (int i = 0; i < kThreads; ++i) all.sum += part[i].sum * __expf(part[i].most - all.most);
  for (int first = 0; first < keys; first += kThreads) {
    const int key = first + static_cast<int>(threadIdx.x);
    const float value = key < keys ? __expf(score[key] - all.most) / all.sum : 0;
    __syncthreads();  // the floats are read before bf16 take the place of half of them
    if (key < keys) weight[key] = __float2bfloat16(value);
    __syncthreads();
  }
}

cudaError_t decode_attention(__nv_bfloat16* o, const Scratch&, const __nv_bfloat16* q, const __nv_bfloat16* k,
                             const __nv_bfloat16* v, const int*, int sequences, int kv_heads,
                             int max_length) {
  const int groups = sequences * kv_heads;
  if (groups == 0) return cudaSuccess;
  static cublasHandle_t handle = nullptr;  // made once, as the memory for scores; the first run pays for both
  static float* scores = nullptr;
  static std::size_t room = 0;
  if (!handle && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return cudaErrorInitializationError;
  const std::size_t wanted = sizeof(float) * groups * kGroup * max_length;
  if (wanted > room) {
    cudaFree(scores);
    const cudaError_t error = cudaMalloc(&scores, wanted);
    if (error != cudaSuccess) return error;
    room = wanted;
  }
  const float scale = 1 / sqrtf(static_cast<float>(kDim)), one = 1, zero = 0;
  const long long keys = max_length, kv_head = keys * kDim;
  // cuBLAS is column-major: it takes our matrices for their transposes, and (Q K^T)^T is K Q^T.
  cublasStatus_t status = cublasGemmStridedBatchedEx(
      handle, CUBLAS_OP_T, CUBLAS_OP_N, max_length, kGroup, kDim, &scale, k, CUDA_R_16BF, kDim, kv_head, q,
      CUDA_R_16BF, kDim, kGroup * kDim, &zero, scores, CUDA_R_32F, max_length, kGroup * keys, groups,
      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  if (status != CUBLAS_STATUS_SUCCESS) return cudaErrorUnknown;
  softmax_kernel<<<groups * kGroup, kThreads>>>(scores, max_length);
  // Rows of weights are as far from each other as those of scores: 2 * max_length bf16.
  status = cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kDim, kGroup, max_length, &one, v,
                                      CUDA_R_16BF, kDim, kv_head, scores, CUDA_R_16BF, 2 * max_length,
                                      2 * kGroup * keys, &zero, o, CUDA_R_16BF, kDim, kGroup * kDim, groups,
                                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  return status == CUBLAS_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}
