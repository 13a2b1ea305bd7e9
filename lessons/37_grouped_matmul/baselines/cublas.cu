// link: cublas
// The library's way, which wants to know on the host how many rows each expert has.
#include "baselines/grouped.h"

cudaError_t grouped_matmul(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w, const int* start,
                           int experts, int rows, int n, int k) {
  return library_products(y, x, w, start, experts, rows, n, k);
}
