// link: cublas
// Rows are copied to where the library wants them, and then multiplied.
#include "baselines/grouped.h"

__global__ void gather_kernel(uint4* to, const uint4* x, const int* pair, int top_k, int vecs) {
  const uint4* const from = x + static_cast<std::int64_t>(pair[blockIdx.x] / top_k) * vecs;
  for (int i = threadIdx.x; i < vecs; i += blockDim.x)
    to[static_cast<std::int64_t>(blockIdx.x) * vecs + i] = from[i];
}

cudaError_t gathered_matmul(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w,
                            const int* start, const int* pair, int experts, int tokens, int top_k, int n,
                            int k) {
  constexpr int kVec = 8;  // bf16 in 16 bytes
  const int rows = tokens * top_k;
  __nv_bfloat16* sorted = nullptr;
  if (rows > 0 && n > 0 && k > 0) {
    const cudaError_t error = library_memory(&sorted, static_cast<std::int64_t>(rows) * k);
    if (error != cudaSuccess) return error;
    gather_kernel<<<rows, 256>>>(reinterpret_cast<uint4*>(sorted), reinterpret_cast<const uint4*>(x), pair,
                                 top_k, k / kVec);
  }
  return library_products(y, sorted, w, start, experts, rows, n, k);
}
