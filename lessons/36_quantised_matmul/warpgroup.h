// Products of bytes by a warpgroup, and the tensor map of a matrix of bytes. For compute capability 9.0, and
// no other ("9.0a"). Descriptors are those of common/wgmma.h, where a row of 128 bytes is 128 elements now:
// 32 of them are one product's, and the next 32 begin 32 bytes further on, as they did.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "common/tensor_map.h"
#include "common/wgmma.h"

/// Makes the tensor map of a row-major matrix of bytes, whose boxes are 128 columns wide and lie in shared
/// memory with a swizzle of 128 bytes.
///
/// @param[out] map       to pass to the kernel as `const __grid_constant__ CUtensorMap`
/// @param      matrix    device, at a multiple of 16 bytes
/// @param      rows      > 0
/// @param      cols      > 0, a multiple of 16
/// @param      box_rows  rows of a box, 1 to 256
/// @return cudaSuccess, or cudaErrorInvalidValue where the driver refuses
inline cudaError_t make_byte_map(CUtensorMap* map, const void* matrix, int rows, int cols, int box_rows) {
  const auto encode = detail::tensor_map_encoder();
  if (encode == nullptr) return cudaErrorNotSupported;
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[] = {extents[0]};
  const cuuint32_t box[] = {128, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[] = {1, 1};
  const CUresult result =
      encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, const_cast<void*>(matrix), extents, row_bytes, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

#define LADDER_S8(i)                                                                                      \
  "+r"(sum[i]), "+r"(sum[i + 1]), "+r"(sum[i + 2]), "+r"(sum[i + 3]), "+r"(sum[i + 4]), "+r"(sum[i + 5]), \
      "+r"(sum[i + 6]), "+r"(sum[i + 7])
#define LADDER_F8(i)                                                                                      \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
      "+f"(sum[i + 6]), "+f"(sum[i + 7])

/// sum += A * B^T, for 64 rows of A, 256 rows of B and 32 columns of both, integers of 8 bits with their
/// sign. Under way behind the call.
///
/// @param a,b         descriptors, see wgmma_descriptor()
/// @param accumulate  0: sum = A * B^T
__device__ inline void wgmma_m64n256k32_s8(int (&sum)[128], std::uint64_t a, std::uint64_t b,
                                           int accumulate) {
  asm volatile(
      "{ .reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, accumulate; }"
      : LADDER_S8(0), LADDER_S8(8), LADDER_S8(16), LADDER_S8(24), LADDER_S8(32), LADDER_S8(40), LADDER_S8(48),
        LADDER_S8(56), LADDER_S8(64), LADDER_S8(72), LADDER_S8(80), LADDER_S8(88), LADDER_S8(96),
        LADDER_S8(104), LADDER_S8(112), LADDER_S8(120)
      : "l"(a), "l"(b), "r"(accumulate));
}

/// The same for e4m3, and 128 rows of B.
__device__ inline void wgmma_m64n128k32_e4m3(float (&sum)[64], std::uint64_t a, std::uint64_t b,
                                             int accumulate) {
  asm volatile(
      "{ .reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, accumulate, 1, 1; }"
      : LADDER_F8(0), LADDER_F8(8), LADDER_F8(16), LADDER_F8(24), LADDER_F8(32), LADDER_F8(40), LADDER_F8(48),
        LADDER_F8(56)
      : "l"(a), "l"(b), "r"(accumulate));
}

#undef LADDER_S8
#undef LADDER_F8
