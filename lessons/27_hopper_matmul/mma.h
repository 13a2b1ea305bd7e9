// What lesson 23 multiplied with, for bf16: ldmatrix and mma.sync. Rungs 1 and 2 do so still.
#pragma once

#include "common/mbarrier.h"

/// Loads 16 x 16 bf16, as four matrices of 8 x 8: lane t gives the place of one of their rows, 16 bytes,
/// those of the first matrix from lanes 0 to 7, of the second from lanes 8 to 15, and so on.
__device__ inline void load_matrices(unsigned (&part)[4], const void* place) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(shared_address(place))
               : "memory");
}

/// sum += a * b for 16 x 16 of a and 16 x 8 of b. A lane has sums of row lane / 4, columns lane % 4 * 2 and
/// the next, in sum[0] and sum[1], and eight rows further down in sum[2] and sum[3].
__device__ inline void multiply_add(float* sum, const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
