// Instructions of a warp: background copies, fragments, products. No C++ function has their name.
#pragma once

#include "common/mbarrier.h"

/// Copies 16 bytes to shared memory in the background; where @p there is false, zeros, and @p from is not
/// read.
__device__ inline void copy_async(void* place, const void* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(shared_address(place)), "l"(from), "r"(there ? 16 : 0)
               : "memory");
}

/// Ends a group of copies: those that this thread began since the last one.
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until all but the latest kLeft groups of this thread are there.
template <int kLeft>
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

/// Loads four matrices of 8 rows of 16 bytes: lane t gives the place of one of their rows, those of the first
/// matrix from lanes 0 to 7, of the second from lanes 8 to 15, and so on. A lane gets, of each, bytes
/// lane % 4 * 4 to lane % 4 * 4 + 3 of row lane / 4.
__device__ inline void load_matrices(unsigned (&part)[4], const void* place) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(shared_address(place))
               : "memory");
}

/// sum += a * b for 16 x 16 bf16 of a and 16 x 8 of b. A lane has sums of row lane / 4, columns lane % 4 * 2
/// and the next, in sum[0] and sum[1], and eight rows further down in sum[2] and sum[3]. In a it has row
/// lane / 4 in a[0] and a[2], and the one eight further down in a[1] and a[3]; in b column lane / 4. What it
/// has in a[0], a[1] and b0 are elements lane % 4 * 2 and the next of those rows and columns; in a[2], a[3]
/// and b1 those eight further on.
__device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
