// link: cublas
// The library's products, sorted by expert; then each token looks up where its pairs' rows are.
#include "baselines/grouped.h"

__global__ void invert_kernel(int* place, const int* pair, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) place[pair[row]] = row;
}

/// A block a token, eight columns a thread at a time.
__global__ void combine_kernel(uint4* out, const uint4* y, const int* place, const float* weight, int top_k,
                               int vecs) {
  const int first = blockIdx.x * top_k;
  for (int i = threadIdx.x; i < vecs; i += blockDim.x) {
    float2 sum[4] = {};
    for (int j = 0; j < top_k; ++j) {
      const uint4 part = y[static_cast<std::int64_t>(place[first + j]) * vecs + i];
      const unsigned both[] = {part.x, part.y, part.z, part.w};
      const float factor = weight[first + j];
      for (int v = 0; v < 4; ++v) {
        sum[v].x += factor * __uint_as_float(both[v] << 16);
        sum[v].y += factor * __uint_as_float(both[v] & 0xffff0000);
      }
    }
    __nv_bfloat162 rounded[4];
    for (int v = 0; v < 4; ++v) rounded[v] = __float22bfloat162_rn(sum[v]);
    out[static_cast<std::int64_t>(blockIdx.x) * vecs + i] = *reinterpret_cast<const uint4*>(rounded);
  }
}

cudaError_t combined_matmul(__nv_bfloat16* out, __nv_bfloat16* parts, const __nv_bfloat16* h,
                            const __nv_bfloat16* w, const int* start, const int* pair, const float* weight,
                            int experts, int tokens, int top_k, int n, int k) {
  constexpr int kVec = 8;  // bf16 in 16 bytes
  const int rows = tokens * top_k;
  if (rows == 0 || n == 0) return cudaSuccess;
  __nv_bfloat16* memory = nullptr;  // two for an int
  cudaError_t error = library_memory(&memory, std::int64_t{2} * rows);
  if (error == cudaSuccess) error = library_products(parts, h, w, start, experts, rows, n, k);
  if (error != cudaSuccess) return error;
  int* const place = reinterpret_cast<int*>(memory);
  invert_kernel<<<(rows + 255) / 256, 256>>>(place, pair, rows);
  combine_kernel<<<tokens, 256>>>(reinterpret_cast<uint4*>(out), reinterpret_cast<const uint4*>(parts), place,
                                  weight, top_k, n / kVec);
  return cudaGetLastError();
}
