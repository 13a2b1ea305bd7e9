// The instructions of rungs 3 to 6. No C++ function has their name. They need compute capability 8.0.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

/// Loads four matrices of 8 x 8 bf16. Lanes 0 to 7 give the places of the rows of the first one, lanes 8 to
/// 15 those of the second, and so on; matrix m goes to part[m]: a lane gets two neighbours of row lane / 4,
/// columns lane % 4 * 2 and the next.
__device__ inline void load_matrices(unsigned (&part)[4], const uint4* place) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(address)
               : "memory");
}

/// The same, with each matrix of 8 x 8 transposed: a lane gets two neighbours of column lane / 4.
__device__ inline void load_transposed(unsigned (&part)[4], const uint4* place) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(address)
               : "memory");
}

/// sum += a * b, for 16 x 16 of a and 16 x 8 of b. Of the sums a lane has row lane / 4, columns lane % 4 * 2
/// and the next, in sum[0] and sum[1], and the same of the row eight further down in sum[2] and sum[3]. Of a
/// it gives these two rows by turns, in a[0] and a[1] the left eight columns, in a[2] and a[3] the right
/// eight; of b column lane / 4, rows lane % 4 * 2 and the next in b0, and those eight further down in b1.
__device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, "
      "%1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Two numbers rounded to bf16, the first in the lower half.
__device__ inline unsigned pack(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const unsigned*>(&pair);
}

/// 2^x, right to 2^-22 of its size; less than 2^-126 becomes 0, and so does 2^-infinity. exp2f() is this
/// instruction and two multiplications that save such small results.
__device__ inline float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// Copies 16 bytes to shared memory in the background, or puts 16 zeros there and reads nothing.
__device__ inline void copy_vector(uint4* place, const __nv_bfloat16* from, bool there) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
  const int bytes = there ? 16 : 0;  // to read; of the 16, the others become 0
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(address), "l"(from), "r"(bytes)
               : "memory");
}

/// Ends a group of copies: those that this thread began since the last one.
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until all of this thread's groups are there.
__device__ inline void wait_for_groups() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }
