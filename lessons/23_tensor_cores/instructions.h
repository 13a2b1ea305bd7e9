// The instructions underneath wmma, and those that copy in the background. No C++ function has their name.
#pragma once

#include "half8.h"

/// Loads 16 x 16 halves, as four matrices of 8 x 8. Lane t gives the place of row t % 16, vector t / 16. The
/// matrix whose rows lanes 0 to 7 give goes to part[0], that of lanes 8 to 15 to part[1], and so on: a lane
/// gets two neighbours of a row from each, row lane / 4, columns lane % 4 * 2 and the next.
__device__ inline void load_matrices(unsigned (&part)[4], const uint4* place) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(address)
               : "memory");
}

/// The same, with each matrix of 8 x 8 transposed: a lane gets two neighbours of a column. So mma wants b.
__device__ inline void load_transposed(unsigned (&part)[4], const uint4* place) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(address)
               : "memory");
}

/// sum += a * b for 16 x 16 of a and 16 x 8 of b. A lane has sums of row lane / 4, columns lane % 4 * 2 and
/// the next, in sum[0] and sum[1], and eight rows further down in sum[2] and sum[3].
__device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Copies what load_half8() would give to shared memory. Where vectors are aligned this goes on in the
/// background, past the registers; else it is done when the call returns.
template <bool kAligned>
__device__ void copy_half8(uint4* place, const Half8Rows& from, int row) {
  if constexpr (kAligned) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
    const __half* vector = from.place + static_cast<std::ptrdiff_t>(row) * from.width;
    const int bytes = row < from.rows && from.cols > 0 ? 16 : 0;  // to read; of the 16, the others become 0
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(address), "l"(vector), "r"(bytes)
                 : "memory");
  } else {
    *place = load_half8<false>(from, row);
  }
}

/// Ends a group of copies: those that this thread began since the last one.
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until all but the latest kLeft groups of this thread are there.
template <int kLeft>
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}
