// Blank page: each row sorted by itself, digit by digit, in shared memory.
#include <cstdint>

#include "blank_page.h"
#include "digits.h"

// TODO(1): sort_rows(), whose contract is in blank_page.h: the kernel, any functions that you want it to
//          call, and the launch (about 65 lines). digits.h may help.
// BEGIN SOLUTION
constexpr int kBlock = 256;  // threads a block: one for each value of a digit
constexpr int kWarps = kBlock / kWarp;
constexpr int kEach = kMostCols / kBlock;  // keys of a thread

/// The float's bits, turned so that they compare like the floats.
__device__ unsigned key_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

__device__ float value_of(unsigned key) {
  return __uint_as_float(key & 0x80000000 ? key & 0x7fffffff : ~key);
}

__global__ void __launch_bounds__(kBlock) sort_rows_kernel(float* out, const float* in, int cols) {
  __shared__ unsigned keys[kMostCols];
  __shared__ unsigned counts[kWarps][kDigits];  // of each warp, and then the places of its next keys
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * cols;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / static_cast<int>(kWarp);
  for (int col = thread; col < cols; col += kBlock) keys[col] = key_of(in[row + col]);
  const int rounds = (cols - 1) / kBlock + 1;  // keys of each thread; a warp's are neighbours
  const int first = warp * static_cast<int>(kWarp) * rounds + thread % static_cast<int>(kWarp);
  for (int shift = 0; shift < 32; shift += kDigitBits) {
    for (int w = 0; w < kWarps; ++w) counts[w][thread] = 0;
    __syncthreads();  // zeros everywhere, and the keys are there
    unsigned key[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const int col = first + k * static_cast<int>(kWarp);
      if (k >= rounds || col >= cols) break;
      key[k] = keys[col];
      atomicAdd(&counts[warp][digit_of(key[k], shift)], 1u);
    }
    __syncthreads();  // all warps have counted, and all keys have been read
    unsigned total = 0;
    for (int w = 0; w < kWarps; ++w) total += counts[w][thread];
    unsigned next = scan_digits(total);
    for (int w = 0; w < kWarps; ++w) {
      const unsigned count = counts[w][thread];
      counts[w][thread] = next;
      next += count;
    }
    __syncthreads();  // all places are there
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      if (k >= rounds) break;
      const bool there = first + k * static_cast<int>(kWarp) < cols;
      const unsigned digit = there ? digit_of(key[k], shift) : kDigits;
      const unsigned same = __match_any_sync(kAllLanes, digit), lower = __popc(same & lower_lanes());
      if (there) keys[counts[warp][digit] + lower] = key[k];
      __syncwarp();  // all lanes have read their digit's place
      if (there && lower == 0) counts[warp][digit] += __popc(same);
      __syncwarp();  // and it is that of the next key
    }
    __syncthreads();  // the row is sorted by this digit
  }
  for (int col = thread; col < cols; col += kBlock) out[row + col] = value_of(keys[col]);
}

cudaError_t sort_rows(float* out, const float* in, int rows, int cols) {
  if (rows == 0) return cudaSuccess;
  sort_rows_kernel<<<rows, kBlock>>>(out, in, cols);
  return cudaGetLastError();
}
// END SOLUTION
