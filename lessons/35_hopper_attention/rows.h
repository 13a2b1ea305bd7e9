// What a row of scores goes through between the two products, and the second product itself. All of it is of
// one thread, and of the layout that wgmma's sums have (common/wgmma.h): a thread has two rows, lane / 4 of
// its warp's 16 and the one eight further down, and a quarter of their columns.
#pragma once

#include <cuda_bf16.h>

#include <cstddef>

#include "common/wgmma.h"
#include "hopper_attention.h"

/// sum += A * B for 64 rows of A, in registers, and 16 rows of B, 128 columns wide, in shared memory. Under
/// way behind the call: nobody may touch sum or a before its group has been waited for.
///
/// @param a  of 16 columns: two neighbours each, in the order of wgmma's sums (rows lane / 4 and lane / 4 + 8
///           of the left eight columns, then of the right eight)
/// @param b  descriptor of 16 rows of the factor: wgmma_descriptor(tile, bytes to the next 64 columns)
__device__ inline void wgmma_m64n128k16_registers(float (&sum)[64], const unsigned* a, std::uint64_t b,
                                                  int accumulate) {
#define LADDER_D8(i)                                                                                      \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
      "+f"(sum[i + 6]), "+f"(sum[i + 7])
  asm volatile(
      "{ .reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, accumulate, 1, 1, 1; }"
      : LADDER_D8(0), LADDER_D8(8), LADDER_D8(16), LADDER_D8(24), LADDER_D8(32), LADDER_D8(40), LADDER_D8(48),
        LADDER_D8(56)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));
#undef LADDER_D8
}

/// Behind a wait for products: keeps the compiler from reading the sums before it.
template <int kSums>
__device__ void settle(float (&sum)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) asm volatile("" : "+f"(sum[i])::"memory");
}

/// 2^x, right to 2^-22 of its size; less than 2^-126 becomes 0, and so does 2^-infinity.
__device__ inline float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// Two numbers rounded to bf16, the first in the lower half.
__device__ inline unsigned pack(float first, float second) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

/// Largest score of the thread's two rows so far, and the sum of the weights of its own columns.
struct Rows {
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
};

/// One step of online softmax (lesson 31): scores become weights, relative to the largest score so far.
///
/// @param      scale   of scores, as exponents of 2
/// @param[out] shrink  what all that was summed up with the old maximum has to be multiplied with
template <int kScores>
__device__ void soften(float (&score)[kScores], Rows& rows, float scale, float (&shrink)[2]) {
  constexpr unsigned kAllLanes = 0xffffffff;
#pragma unroll
  for (int r = 0; r < 2; ++r) {  // score[4 * j + 2 * r] and the next are this row's
    float larger = rows.most[r];
#pragma unroll
    for (int i = 2 * r; i < kScores; i += 4) larger = fmaxf(larger, fmaxf(score[i], score[i + 1]));
    larger = fmaxf(larger, __shfl_xor_sync(kAllLanes, larger, 1));
    larger = fmaxf(larger, __shfl_xor_sync(kAllLanes, larger, 2));
    float base = larger * scale;
    if (larger == -INFINITY) base = 0;  // no key was seen yet: all weights are 2^(-infinity - 0)
    shrink[r] = power_of_two(rows.most[r] * scale - base);  // 0 where none was seen before
    rows.most[r] = larger;
    float sum = rows.sum[r] * shrink[r];
#pragma unroll
    for (int i = 2 * r; i < kScores; i += 4) {
      score[i] = power_of_two(score[i] * scale - base);
      score[i + 1] = power_of_two(score[i + 1] * scale - base);
      sum += score[i] + score[i + 1];
    }
    rows.sum[r] = sum;
  }
}

/// Brings what has been added up to the new maximum.
__device__ inline void rescale(float (&result)[kDim / 2], const float (&shrink)[2]) {
#pragma unroll
  for (int i = 0; i < kDim / 2; ++i) result[i] *= shrink[i / 2 % 2];
}

/// Stores the thread's part of two rows, divided by their sums.
///
/// @param head  the first row of the head's results
/// @param row   the warpgroup's first
__device__ inline void store_rows(__nv_bfloat16* head, const float (&result)[kDim / 2], const Rows& rows,
                                  int row, int queries) {
  constexpr unsigned kAllLanes = 0xffffffff;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int at = row + threadIdx.x % 128 / 32 * 16 + lane / 4 + r * 8;
    float sum = rows.sum[r];
    sum += __shfl_xor_sync(kAllLanes, sum, 1);
    sum += __shfl_xor_sync(kAllLanes, sum, 2);
    const float factor = sum > 0 ? 1 / sum : 0;
    auto* const to = reinterpret_cast<unsigned*>(head + static_cast<std::size_t>(at) * kDim);
#pragma unroll
    for (int j = 0; j < kDim / 8; ++j)
      if (at < queries)
        to[j * 4 + lane % 4] = pack(result[4 * j + 2 * r] * factor, result[4 * j + 2 * r + 1] * factor);
  }
}
