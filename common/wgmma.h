// Products of whole tiles in shared memory, by a warpgroup: four warps, of which the first one's number is a
// multiple of 4. For compute capability 9.0, and no other ("9.0a").
//
// Warp w of the group gets rows 16 w to 16 w + 15 of the sums. Of these, lane t has
//   sum[4 * j + 0], sum[4 * j + 1]   row t / 4,     columns 8 * j + t % 4 * 2 and the next
//   sum[4 * j + 2], sum[4 * j + 3]   row t / 4 + 8, the same columns
#pragma once

#include <cstdint>

#include "common/mbarrier.h"

/// Where a factor lies: rows of 64 bf16 (128 bytes), one below the other, swizzled by 128 bytes, as
/// tma_load_2d() leaves them. 16 of the columns are one product's: the next 16 begin 32 bytes further on.
/// Of a transposed factor 16 of the rows are one product's: the next 16 begin 2048 bytes further on.
///
/// @param tile   in shared memory; rows begin at a multiple of 1024 bytes
/// @param right  of a transposed factor: bytes from its first 64 columns to the next
__device__ inline std::uint64_t wgmma_descriptor(const void* tile, std::uint64_t right = 0) {
  constexpr std::uint64_t kEightRows = 1024;  // bytes from row 0 to row 8
  constexpr std::uint64_t kSwizzle128 = 1;
  // Sizes and addresses are counted in 16 bytes.
  return (shared_address(tile) & 0x3FFFF) >> 4 | right >> 4 << 16 | kEightRows >> 4 << 32 | kSwizzle128 << 62;
}

/// Before the first product, and wherever the program has touched sums since the last one.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// Ends a group of products.
__device__ inline void wgmma_commit_group() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// Waits until all but the latest kLeft groups of products are done: their sums are there, their tiles read.
template <int kLeft>
__device__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

/// Gives the warpgroup's threads fewer registers than they started with, and so others more.
template <int kRegisters>
__device__ void registers_decrease() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

/// Waits until there are so many.
template <int kRegisters>
__device__ void registers_increase() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

#define LADDER_D8(i)                                                                                      \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
      "+f"(sum[i + 6]), "+f"(sum[i + 7])

/// sum += A * B^T, for 64 rows of A, 128 rows of B and 16 columns of both. Under way behind the call.
///
/// @tparam kTransposed  both factors are stored transposed: A as 16 rows of 64, B as 16 rows of 128
/// @param a,b         descriptors, see wgmma_descriptor()
/// @param accumulate  0: sum = A * B^T
template <bool kTransposed = false>
__device__ void wgmma_m64n128k16(float (&sum)[64], std::uint64_t a, std::uint64_t b, int accumulate) {
  asm volatile(
      "{ .reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, accumulate, 1, 1, %67, %67; }"
      : LADDER_D8(0), LADDER_D8(8), LADDER_D8(16), LADDER_D8(24), LADDER_D8(32), LADDER_D8(40), LADDER_D8(48),
        LADDER_D8(56)
      : "l"(a), "l"(b), "r"(accumulate), "n"(int{kTransposed}));
}

/// sum += A * B^T, for 64 rows of A, 256 rows of B and 16 columns of both. Under way behind the call.
///
/// @tparam kTransposed  both factors are stored transposed: A as 16 rows of 64, B as 16 rows of 256
/// @param a,b         descriptors, see wgmma_descriptor()
/// @param accumulate  0: sum = A * B^T
template <bool kTransposed = false>
__device__ void wgmma_m64n256k16(float (&sum)[128], std::uint64_t a, std::uint64_t b, int accumulate) {
  asm volatile(
      "{ .reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, accumulate, 1, 1, %131, %131; }"
      : LADDER_D8(0), LADDER_D8(8), LADDER_D8(16), LADDER_D8(24), LADDER_D8(32), LADDER_D8(40), LADDER_D8(48),
        LADDER_D8(56), LADDER_D8(64), LADDER_D8(72), LADDER_D8(80), LADDER_D8(88), LADDER_D8(96),
        LADDER_D8(104), LADDER_D8(112), LADDER_D8(120)
      : "l"(a), "l"(b), "r"(accumulate), "n"(int{kTransposed}));
}

#undef LADDER_D8
