// Rung 6: the cache is in pages of 16 tokens, which a table finds: a tile is a page.
#include <cstdint>

#include "tile.h"

__global__ void __launch_bounds__(kBlock, 2)  // at most 128 registers: two blocks a multiprocessor
    paged_kernel(__nv_bfloat16* o, Scratch scratch, const uint4* q, const uint4* k, const uint4* v,
                 const int* table, const int* lengths, int max_pages) {
  static_assert(kTile == kPage, "a warp takes a page at a time");
  const int length = lengths[blockIdx.z], begin = static_cast<int>(blockIdx.x) * kSplit;
  if (begin >= length && begin > 0) return;
  const int end = min(begin + kSplit, length);
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  __shared__ Known known;
  unsigned own[kSteps][2];
  load_queries(own, q + group * kGroup * kRow);
  State state = {{-INFINITY, -INFINITY}};
  const int first = begin + static_cast<int>(threadIdx.x) / kWarp * kTile;  // the warp's first key
  // TODO(1): where the sequence's part of the table begins, and the number of the warp's first page; then the
  //          loop over its pages. A page's keys for one head are kPage rows, behind those of the heads before
  //          it. The next page's number is loaded before take(), for the address of a key cannot be known
  //          before it is there (9 lines).
  leave(known, state);
  finish(o, scratch, known, (length + kSplit - 1) / kSplit);
}

cudaError_t paged_attention(__nv_bfloat16* o, const Scratch& scratch, const __nv_bfloat16* q,
                            const __nv_bfloat16* k, const __nv_bfloat16* v, const int* table,
                            const int* lengths, int sequences, int kv_heads, int max_pages) {
  if (sequences == 0 || kv_heads == 0) return cudaSuccess;
  const int splits = (max_pages * kPage + kSplit - 1) / kSplit;
  paged_kernel<<<dim3(splits, kv_heads, sequences), kBlock>>>(
      o, scratch, reinterpret_cast<const uint4*>(q), reinterpret_cast<const uint4*>(k),
      reinterpret_cast<const uint4*>(v), table, lengths, max_pages);
  return cudaGetLastError();
}
