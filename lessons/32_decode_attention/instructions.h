// What C++ has no function for, and a small one that all rungs from the second on need.
#pragma once

#include <cuda_bf16.h>

/// 2^x, right to 2^-22 of its size; less than 2^-126 becomes 0, and so does 2^-infinity. exp2f() is this
/// instruction and two multiplications that save such small results.
__device__ inline float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// By what sums must be multiplied that are relative to the score @p old, if they shall be relative to
/// @p most, which is no smaller. Scores are in units of log(2). Where both are -infinity, since no key has
/// been seen, it is 0 and not NaN.
__device__ inline float rescale(float old, float most) {
  return old == -INFINITY ? 0.0f : power_of_two(old - most);
}

/// sum += a * b, for 16 x 16 of a and 16 x 8 of b, in bf16. Of the sums a lane has row lane / 4, columns
/// lane % 4 * 2 and the next, in sum[0] and sum[1], and the same of the row eight further down in sum[2] and
/// sum[3]. Of a it gives these two rows by turns, in a[0] and a[1] columns lane % 4 * 2 and the next, in a[2]
/// and a[3] those eight further right; of b column lane / 4, rows lane % 4 * 2 and the next in b[0], and
/// those eight further down in b[1]. Needs compute capability 8.0.
__device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// The same for numbers in half precision.
__device__ inline void multiply_add_half(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Transposes 8 x 8 elements of 16 bits that a warp holds: a lane gives row lane / 4, columns lane % 4 * 2
/// and the next, and gets the same two rows of column lane / 4.
__device__ inline unsigned transposed(unsigned pair) {
  unsigned result;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(pair));
  return result;
}
