// Rung 4: weights of 4 bits and a few rows of activations: every warp keeps its own ring of copies full, and turns
// nibbles into bf16 on the way to the Tensor Cores, in registers.
#include <cstddef>
#include <cstdint>

#include "epilogue.h"
#include "instructions.h"
#include "quantised_matmul.h"

constexpr int kTiles = 4;            // products of 16 rows of w below each other, of a block
constexpr int kRows = 16 * kTiles;   // of w: columns of c
constexpr int kWarps = 4;            // each takes every kWarps-th group of k
constexpr int kThreads = 32 * kWarps;
constexpr int kStages = 3;           // groups of a warp that are in shared memory, or on the way there
constexpr int kPadded = kRows + 4;   // a row of sums, and what keeps four of them in different banks

/// One group of kGroup columns.
struct Stage {
  uint4 w[kRows][4];                // 32 nibbles a vector
  uint4 a[kMostRows][16];           // 8 bf16 a vector: vector v of row r is at place_of(r, v)
  __nv_bfloat16 scale[kRows];
};

/// Where a vector of a row of activations is. Lanes read vectors 4 * t + word of eight rows: those of four t and
/// of two rows, which are read together, lie in 32 banks.
__device__ int place_of(int row, int vec) { return (vec % 4 * 4 + vec / 4) ^ row % 2 * 4; }

/// Starts a warp's copies of a group. What a and w do not have becomes 0.
__device__ void copy_group(Stage& stage, const __nv_bfloat16* a, const unsigned* w,
                           const __nv_bfloat16* w_scale, int row0, int group, int m, int n, int k) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = lane; i < kRows * 4; i += 32) {
    const int row = i / 4, vec = i % 4;
    const bool there = row0 + row < n;
    const std::size_t from = there ? static_cast<std::size_t>(row0 + row) * (k / 8) : 0;
    copy_async(&stage.w[row][vec], w + from + group * (kGroup / 8) + vec * 4, there);
  }
#pragma unroll
  for (int i = lane; i < kMostRows * 16; i += 32) {
    const int row = i / 16, vec = i % 16;
    const std::size_t from = row < m ? static_cast<std::size_t>(row) * k : 0;
    copy_async(&stage.a[row][place_of(row, vec)], a + from + group * kGroup + vec * 8, row < m);
  }
  if (lane < kRows / 8) {
    const bool there = row0 + lane * 8 < n;  // n is a multiple of 8
    copy_async(&stage.scale[lane * 8],
               w_scale + static_cast<std::size_t>(group) * n + (there ? row0 + lane * 8 : 0), there);
  }
}

/// (x & y) | z for each bit: one instruction.
__device__ unsigned and_or(unsigned x, unsigned y, unsigned z) {
  unsigned result;
  asm("lop3.b32 %0, %1, %2, %3, 0xEA;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
  return result;
}

/// Nibbles i and i + 4 of a word, less 8, as two bf16, for i = 0 to 3.
__device__ void widen(unsigned (&pair)[4], unsigned word) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // TODO(1): a bf16 of 128 + x, for x from 0 to 15, has the bits 0x4300 + x. Make both by one and_or() of the
    //          shifted word; 136 taken off, which is exact, leaves x - 8 (3 lines).
    // BEGIN SOLUTION
    const unsigned more = and_or(word >> 4 * i, 0x000F000F, 0x43004300);
    const __nv_bfloat162 both = __hsub2(*reinterpret_cast<const __nv_bfloat162*>(&more),
                                        __float2bfloat162_rn(136.0f));
    pair[i] = *reinterpret_cast<const unsigned*>(&both);
    // END SOLUTION
  }
}

/// Eight neighbours, regrouped as widen() leaves weights: elements i and i + 4.
__device__ void regroup(unsigned (&pair)[4], const uint4& vector) {
  // TODO(2): __byte_perm(x, y, 0x5410) has the lower half of x below and that of y above, 0x7632 the upper
  //          halves (4 lines).
  // BEGIN SOLUTION
  pair[0] = __byte_perm(vector.x, vector.z, 0x5410);
  pair[1] = __byte_perm(vector.x, vector.z, 0x7632);
  pair[2] = __byte_perm(vector.y, vector.w, 0x5410);
  pair[3] = __byte_perm(vector.y, vector.w, 0x7632);
  // END SOLUTION
}

/// Word @p i of a vector.
__device__ unsigned word_of(const uint4& vector, int i) {
  return i == 0 ? vector.x : i == 1 ? vector.y : i == 2 ? vector.z : vector.w;
}

/// Adds a group's products to the warp's sums: of 16 rows of w each, and of activations 0 to 7 and 8 to 15.
__device__ void multiply(float (&total)[kTiles][2][4], const Stage& stage) {
  const int line = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
  float sum[kTiles][2][4] = {};
  uint4 w[kTiles][2];
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
    for (int i = 0; i < 2; ++i) w[tile][i] = stage.w[tile * 16 + i * 8 + line][pair];
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    unsigned right[2][4];
#pragma unroll
    for (int j = 0; j < 2; ++j)
      regroup(right[j], stage.a[j * 8 + line][place_of(line, pair * 4 + word)]);
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      unsigned upper[4], lower[4];  // of rows `line` and eight further down
      widen(upper, word_of(w[tile][0], word));
      widen(lower, word_of(w[tile][1], word));
      // TODO(3): two products of 16 elements: pairs 0 and 1, then pairs 2 and 3, for both halves of the
      //          activations. In a register of the left factor rows alternate (5 lines).
      // BEGIN SOLUTION
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        const unsigned left[4] = {upper[i], lower[i], upper[i + 1], lower[i + 1]};
#pragma unroll
        for (int j = 0; j < 2; ++j) multiply_add(sum[tile][j], left, right[j][i], right[j][i + 1]);
      }
      // END SOLUTION
    }
  }
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    // TODO(4): the group's sums, times the scales of rows `line` and eight further down (7 lines).
    // BEGIN SOLUTION
    const float upper = __bfloat162float(stage.scale[tile * 16 + line]);
    const float lower = __bfloat162float(stage.scale[tile * 16 + line + 8]);
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) total[tile][j][i] += sum[tile][j][i] * (i < 2 ? upper : lower);
    // END SOLUTION
  }
}

__global__ void __launch_bounds__(kThreads)
    int4_kernel(__nv_bfloat16* c, const __nv_bfloat16* a, const unsigned* w, const __nv_bfloat16* w_scale,
                int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char memory[];
  const int warp = threadIdx.x / 32, line = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
  Stage* const ring = reinterpret_cast<Stage*>(memory) + warp * kStages;  // the warp's own
  const int row0 = blockIdx.x * kRows, groups = k / kGroup;
  const auto copy = [&](int step) {
    const int group = step * kWarps + warp;
    if (group < groups) copy_group(ring[step % kStages], a, w, w_scale, row0, group, m, n, k);
    end_group();  // an empty one, too: so many groups of copies are always the same steps
  };
  for (int step = 0; step < kStages - 1; ++step) copy(step);
  float total[kTiles][2][4] = {};
  for (int step = 0; step * kWarps + warp < groups; ++step) {
    // TODO(5): the warp's lanes copy and read each other's vectors, and no other warp does: wait for your own
    //          copies, then for the other lanes; start those that go to the stage which was read a step ago;
    //          multiply (4 lines).
    // BEGIN SOLUTION
    wait_for_groups<kStages - 2>();
    __syncwarp();  // all lanes' copies are there, and all have read the step before
    copy(step + kStages - 1);
    multiply(total, ring[step % kStages]);
    // END SOLUTION
  }
  wait_for_groups<0>();
  __syncthreads();  // the rings have been read, and nothing is on the way there

  // The warps' sums are added up: [warp][row of a][row of w].
  float(*const sums)[kMostRows][kPadded] = reinterpret_cast<float(*)[kMostRows][kPadded]>(memory);
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      sums[warp][i / 4 * 8 + pair * 2 + i % 2][tile * 16 + i % 4 / 2 * 8 + line] = total[tile][i / 4][i % 4];
  __syncthreads();
  for (int i = threadIdx.x; i < m * kRows; i += kThreads) {
    const int row = i / kRows, col = i % kRows;
    float sum = 0;
    for (int of = 0; of < kWarps; ++of) sum += sums[of][row][col];
    if (row0 + col < n) c[static_cast<std::size_t>(row) * n + row0 + col] = __float2bfloat16(sum);
  }
}

cudaError_t int4_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const unsigned* w,
                        const __nv_bfloat16* w_scale, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  constexpr int kSums = kWarps * kMostRows * kPadded * sizeof(float);
  constexpr int kRings = kWarps * kStages * sizeof(Stage), kBytes = kRings > kSums ? kRings : kSums;
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  const cudaError_t error =
      cudaFuncSetAttribute(int4_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  int4_kernel<<<(n + kRows - 1) / kRows, kThreads, kBytes>>>(c, a, w, w_scale, m, n, k);
  return cudaGetLastError();
}
