// Blank page: weights of 8 bits, activations in half precision, and few of them.
#include <cstddef>
#include <cstdint>

#include "blank_page.h"

// TODO(1): few_rows_matmul(), whose contract is in blank_page.h: the kernel, any functions that you want
//          it to call, and the launch (about 100 lines).
// BEGIN SOLUTION
// A block has 16 rows of w, and its warps take steps of k by turns, straight from memory to registers: bytes
// become halves there, and Tensor Cores multiply.
constexpr int kRows = 16;  // of w, that a block covers: columns of c
constexpr int kWarps = 8;  // each takes every kWarps-th step of k
constexpr int kStep = 64;  // columns: 16 bytes of w a lane
constexpr int kAhead = 4;  // steps that are under way while one is multiplied
constexpr int kThreads = 32 * kWarps;

/// What a lane has of a step. With line = lane / 4 and pair = lane % 4: columns pair * 16 to pair * 16 + 15,
/// of w's rows `line` and eight further down, and of activations `line` and eight further down.
struct Step {
  uint4 w[2];
};

/// Two of four bytes as halves less 1152, which is 1024 and the 128 that make a number of 8 bits positive.
template <unsigned kBytes>
__device__ unsigned widen(unsigned bytes) {
  // A half of 1024 + x, for x from 0 to 255, has the bits 0x6400 + x.
  const unsigned more = __byte_perm(bytes, 0x64646464, kBytes);
  const __half2 both = __hsub2(*reinterpret_cast<const __half2*>(&more), __float2half2_rn(1152.0f));
  return *reinterpret_cast<const unsigned*>(&both);
}

__device__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned word_of(const uint4& vector, int i) {
  return i == 0 ? vector.x : i == 1 ? vector.y : i == 2 ? vector.z : vector.w;
}

__global__ void __launch_bounds__(kThreads) few_rows_kernel(__half* c, const __half* a, const signed char* w,
                                                            const float* w_scale, int m, int n, int k) {
  const int warp = threadIdx.x / 32, line = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
  const int row0 = blockIdx.x * kRows, steps = (k + kStep - 1) / kStep;
  const auto load = [&](Step& to, int step) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = row0 + i * 8 + line, col = step * kStep + pair * 16;
      const bool there = row < n && col < k;
      to.w[i] = there ? __ldcs(reinterpret_cast<const uint4*>(w + static_cast<std::size_t>(row) * k + col))
                      : uint4{};
    }
  };
  Step ahead[kAhead];
#pragma unroll
  for (int i = 0; i < kAhead; ++i) load(ahead[i], warp + i * kWarps);
  float sum[2][4] = {};
  for (int first = warp; first < steps; first += kWarps * kAhead)
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      const int step = first + i * kWarps;
      const Step now = ahead[i];
      load(ahead[i], step + kWarps * kAhead);
#pragma unroll
      for (int half = 0; half < 2; ++half) {  // eight columns of the lane's sixteen
        uint4 right[2];
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          const int row = j * 8 + line, col = step * kStep + pair * 16 + half * 8;
          right[j] = row < m && col < k
                         ? __ldg(reinterpret_cast<const uint4*>(a + static_cast<std::size_t>(row) * k + col))
                         : uint4{};
        }
#pragma unroll
        for (int word = 0; word < 2; ++word) {
          // A number from -128 to 127 with its sign bit turned over is itself and 128.
          const unsigned upper = word_of(now.w[0], 2 * half + word) ^ 0x80808080;
          const unsigned lower = word_of(now.w[1], 2 * half + word) ^ 0x80808080;
          const unsigned left[4] = {widen<0x4140>(upper), widen<0x4140>(lower), widen<0x4342>(upper),
                                    widen<0x4342>(lower)};
#pragma unroll
          for (int j = 0; j < 2; ++j)
            multiply_add(sum[j], left, word_of(right[j], 2 * word), word_of(right[j], 2 * word + 1));
        }
      }
    }

  // The warps' sums are added up: [warp][row of a][row of w].
  __shared__ float sums[kWarps][kMostRows][kRows + 1];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sums[warp][i / 4 * 8 + pair * 2 + i % 2][i % 4 / 2 * 8 + line] = sum[i / 4][i % 4];
  __syncthreads();
  const int row = threadIdx.x / kRows, col = threadIdx.x % kRows;  // 16 x 16 results, one a thread
  if (row >= m || row0 + col >= n) return;
  float all = 0;
  for (int of = 0; of < kWarps; ++of) all += sums[of][row][col];
  c[static_cast<std::size_t>(row) * n + row0 + col] = __float2half(all * w_scale[row0 + col]);
}

cudaError_t few_rows_matmul(__half* c, const __half* a, const signed char* w, const float* w_scale, int m,
                            int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  few_rows_kernel<<<(n + kRows - 1) / kRows, kThreads>>>(c, a, w, w_scale, m, n, k);
  return cudaGetLastError();
}
// END SOLUTION
