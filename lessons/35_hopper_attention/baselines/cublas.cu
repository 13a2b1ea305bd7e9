// link: cublas
// What one would put together without a fused kernel: cuBLAS for both products, and between them a kernel
// that reads the scores twice and leaves the weights as bf16 where they were. Some heads at a time.
#include <cublas_v2.h>

#include <algorithm>
#include <cstddef>

#include "hopper_attention.h"

constexpr int kWarp = 32, kRows = 8;
constexpr unsigned kAllLanes = 0xffffffff;

/// A warp a row of floats, which becomes a row of bf16 at the same place: the first half of it.
__global__ void softmax_kernel(float* scores, long long rows, int keys) {
  const long long row = static_cast<long long>(blockIdx.x) * kRows + threadIdx.y;
  if (row >= rows) return;
  const float* const score = scores + row * keys;
  auto* const weight = reinterpret_cast<__nv_bfloat16*>(scores + row * keys);
  float most = -INFINITY, sum = 0;
  for (int key = threadIdx.x; key < keys; key += kWarp) most = fmaxf(most, score[key]);
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2)
    most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, lanes));
  for (int key = threadIdx.x; key < keys; key += kWarp) sum += __expf(score[key] - most);
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kAllLanes, sum, lanes);
  for (int first = 0; first < keys; first += kWarp) {
    const int key = first + static_cast<int>(threadIdx.x);
    const float value = key < keys ? __expf(score[key] - most) / sum : 0;
    __syncwarp();  // 32 floats are read before 32 bf16 take the place of half of them
    if (key < keys) weight[key] = __float2bfloat16(value);
    __syncwarp();
  }
}

/// Made once, and kept: the first run, which is not timed, pays for it.
struct Kept {
  cublasHandle_t handle = nullptr;
  float* scores = nullptr;
  std::size_t count = 0;
  bool hold(std::size_t floats) {
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return false;
    if (floats <= count) return true;
    cudaFree(scores);
    count = floats;
    return cudaMalloc(&scores, floats * sizeof(float)) == cudaSuccess;
  }
};

cudaError_t attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                      const __nv_bfloat16* v, int heads, int kv_heads, int queries, int keys) {
  if (heads == 0 || queries == 0) return cudaSuccess;
  if (keys == 0) return cudaMemsetAsync(o, 0, sizeof(__nv_bfloat16) * heads * queries * kDim);
  // Query heads that share keys lie behind each other: to cuBLAS they are one head with more rows.
  const int rows = heads / kv_heads * queries, together = std::min(kv_heads, 8);
  const long long q_head = 1ll * rows * kDim, kv_head = 1ll * keys * kDim, s_head = 1ll * rows * keys;
  static Kept kept;
  if (!kept.hold(static_cast<std::size_t>(s_head) * together)) return cudaErrorMemoryAllocation;
  const float scale = 1 / sqrtf(static_cast<float>(kDim)), one = 1, zero = 0;
  for (int head = 0; head < kv_heads; head += together) {
    const int count = std::min(together, kv_heads - head);
    // cuBLAS is column-major: it takes our matrices for their transposes, and (Q K^T)^T is K Q^T.
    cublasStatus_t status = cublasGemmStridedBatchedEx(
        kept.handle, CUBLAS_OP_T, CUBLAS_OP_N, keys, rows, kDim, &scale, k + head * kv_head, CUDA_R_16BF,
        kDim, kv_head, q + head * q_head, CUDA_R_16BF, kDim, q_head, &zero, kept.scores, CUDA_R_32F, keys,
        s_head, count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) return cudaErrorUnknown;
    const long long all = 1ll * count * rows;
    softmax_kernel<<<static_cast<unsigned>((all + kRows - 1) / kRows), dim3(kWarp, kRows)>>>(kept.scores, all,
                                                                                             keys);
    // Rows of weights are as far from each other as those of scores: 2 * keys bf16.
    status = cublasGemmStridedBatchedEx(
        kept.handle, CUBLAS_OP_N, CUBLAS_OP_N, kDim, rows, keys, &one, v + head * kv_head, CUDA_R_16BF, kDim,
        kv_head, kept.scores, CUDA_R_16BF, 2 * keys, 2 * s_head, &zero, o + head * q_head, CUDA_R_16BF, kDim,
        q_head, count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
