// Rung 4: weights of 4 bits and a few rows of activations. Weights go straight to registers, some groups
// ahead, and become bf16 there, on the way to the Tensor Cores; activations are shared by warps.
#include <cstddef>
#include <cstdint>

#include "epilogue.h"
#include "instructions.h"
#include "quantised_matmul.h"

constexpr int kTiles = 2;                   // tiles of w below each other, of a warp
constexpr int kDown = 4;                    // warps below each other, which share activations
constexpr int kSplits = 2;                  // of k: such teams of warps, each takes every kSplits-th group
constexpr int kRows = kDown * kTiles * 16;  // of w, that a block covers: columns of c
constexpr int kTeam = 32 * kDown;           // threads
constexpr int kThreads = kTeam * kSplits;
constexpr int kStages = 4;  // groups whose weights a warp has in registers, or on the way there, and whose
                            // activations a team has in shared memory, or on the way there
constexpr int kPadded = kRows + 4;  // a row of sums, and what keeps four of them in different banks

/// What a team shares of a group of kGroup columns.
struct Stage {
  uint4 a[kMostRows][16];  // 8 bf16 a vector: vector v of row r is at place_of(r, v)
  __nv_bfloat16 scale[kRows];
};

/// A lane's weights of a group. With line = lane / 4 and pair = lane % 4: vector `pair`, of 32 nibbles, of
/// rows `line` and eight further down of each tile.
struct Weights {
  uint4 part[kTiles][2];
};

/// Where a vector of a row of activations is. Lanes read vectors 4 * pair + word of eight rows: those of four
/// pairs and of two rows, which are read together, lie in 32 banks.
__device__ int place_of(int row, int vec) { return (vec % 4 * 4 + vec / 4) ^ row % 2 * 4; }

/// Starts a team's copies of a group. What a does not have becomes 0.
__device__ void copy_group(Stage& stage, const __nv_bfloat16* a, const __nv_bfloat16* w_scale, int row0,
                           int group, int m, int n, int k) {
  const int thread = threadIdx.x % kTeam;
#pragma unroll
  for (int i = thread; i < kMostRows * 16; i += kTeam) {
    const int row = i / 16, vec = i % 16;
    copy_async(&stage.a[row][place_of(row, vec)], a + (row < m ? row * k + group * kGroup + vec * 8 : 0),
               row < m);
  }
  if (thread < kRows / 8) {
    const bool there = row0 + thread * 8 < n;  // n is a multiple of 16
    copy_async(&stage.scale[thread * 8], w_scale + (there ? group * n + row0 + thread * 8 : 0), there);
  }
}

/// Loads a warp's weights of a group: a request is 512 bytes of one tile.
/// @param tile  the warp's first; of those that do not exist, from `tiles` on, nothing is loaded
__device__ void load_weights(Weights& weights, const uint4* w, int tile, int tiles, int group, int groups) {
#pragma unroll
  for (int i = 0; i < kTiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      weights.part[i][half] = tile + i < tiles
                                  ? __ldcs(w + (static_cast<std::size_t>(tile + i) * groups + group) * 64 +
                                           half * 32 + threadIdx.x % 32)
                                  : uint4{};
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
    // TODO(1): a bf16 of 128 + x, for x from 0 to 15, has the bits 0x4300 + x. Make both by one and_or() of
    //          the shifted word; 136 taken off, which is exact, leaves x - 8 (4 lines).
    // BEGIN SOLUTION
    const unsigned more = and_or(word >> 4 * i, 0x000F000F, 0x43004300);
    const __nv_bfloat162 both =
        __hsub2(*reinterpret_cast<const __nv_bfloat162*>(&more), __float2bfloat162_rn(136.0f));
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
/// @param row  the warp's first, in the block
__device__ void multiply(float (&total)[kTiles][2][4], const Weights& weights, const Stage& stage, int row) {
  const int line = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
  float sum[kTiles][2][4] = {};
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    unsigned right[2][4];
#pragma unroll
    for (int j = 0; j < 2; ++j) regroup(right[j], stage.a[j * 8 + line][place_of(line, pair * 4 + word)]);
    unsigned upper[kTiles][4], lower[kTiles][4];  // of rows `line` and eight further down
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      widen(upper[tile], word_of(weights.part[tile][0], word));
      widen(lower[tile], word_of(weights.part[tile][1], word));
    }
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      // TODO(3): a product of 16 elements for each tile and both halves of the activations: pairs i and the
      //          next. In a register of the left factor rows alternate. Neighbours among these products add
      //          to different sums, and none waits for the one before it (6 lines).
      // BEGIN SOLUTION
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        const unsigned left[4] = {upper[tile][i], lower[tile][i], upper[tile][i + 1], lower[tile][i + 1]};
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
    const float upper = __bfloat162float(stage.scale[row + tile * 16 + line]);
    const float lower = __bfloat162float(stage.scale[row + tile * 16 + line + 8]);
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) total[tile][j][i] += sum[tile][j][i] * (i < 2 ? upper : lower);
    // END SOLUTION
  }
}

__global__ void __launch_bounds__(kThreads, 2)
    int4_kernel(__nv_bfloat16* c, const __nv_bfloat16* a, const uint4* w, const __nv_bfloat16* w_scale, int m,
                int n, int k) {
  extern __shared__ __align__(128) unsigned char memory[];
  const int warp = threadIdx.x / 32, line = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
  const int split = warp / kDown, row = warp % kDown * kTiles * 16;        // the warp's first, in the block
  Stage* const ring = reinterpret_cast<Stage*>(memory) + split * kStages;  // the team's own
  const int row0 = blockIdx.x * kRows, groups = k / kGroup, steps = (groups + kSplits - 1) / kSplits;
  // Blocks begin at different groups, or all would want the same activations from the L2 at the same time.
  const int first = groups > 0 ? static_cast<int>(blockIdx.x * 5 % groups) : 0;
  Weights ahead[kStages - 1];
  // Brings what the team needs in a step: activations to a stage, weights to registers.
  const auto bring = [&](int step, Weights& weights) {
    const int group = step * kSplits + split;
    if (group < groups) {
      const int at = first + group < groups ? first + group : first + group - groups;
      copy_group(ring[step % kStages], a, w_scale, row0, at, m, n, k);
      load_weights(weights, w, (row0 + row) / 16, n / 16, at, groups);
    }
    end_group();  // an empty one, too: so many groups of copies are always the same steps
  };
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) bring(step, ahead[step]);
  float total[kTiles][2][4] = {};
  for (int step0 = 0; step0 < steps; step0 += kStages - 1)
#pragma unroll
    for (int i = 0; i < kStages - 1; ++i) {
      const int step = step0 + i;
      if (step >= steps) break;
      // TODO(5): activations are copied by the whole team: wait for your own copies, then for the other
      //          threads; multiply ahead[i] by them, if the team has a group in this step; then bring what
      //          is needed kStages - 1 steps later (4 lines).
      // BEGIN SOLUTION
      wait_for_groups<kStages - 2>();
      __syncthreads();  // all copies of this step are there, and all have read the step before
      if (step * kSplits + split < groups) multiply(total, ahead[i], ring[step % kStages], row);
      bring(step + kStages - 1, ahead[i]);
      // END SOLUTION
    }
  wait_for_groups<0>();
  __syncthreads();  // the rings have been read, and nothing is on the way there

  // The splits' sums are added up: [split][row of a][row of w].
  float(*const sums)[kMostRows][kPadded] = reinterpret_cast<float(*)[kMostRows][kPadded]>(memory);
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      sums[split][i / 4 * 8 + pair * 2 + i % 2][row + tile * 16 + i % 4 / 2 * 8 + line] =
          total[tile][i / 4][i % 4];
  __syncthreads();
  for (int i = threadIdx.x; i < m * kRows; i += kThreads) {
    const int of_a = i / kRows, col = i % kRows;
    float sum = 0;
    for (int of = 0; of < kSplits; ++of) sum += sums[of][of_a][col];
    if (row0 + col < n) c[static_cast<std::size_t>(of_a) * n + row0 + col] = __float2bfloat16(sum);
  }
}

cudaError_t int4_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const unsigned* w,
                        const __nv_bfloat16* w_scale, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  constexpr int kSums = kSplits * kMostRows * kPadded * sizeof(float);
  constexpr int kRings = kSplits * kStages * sizeof(Stage), kBytes = kRings > kSums ? kRings : kSums;
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  const cudaError_t error =
      cudaFuncSetAttribute(int4_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  int4_kernel<<<(n + kRows - 1) / kRows, kThreads, kBytes>>>(c, a, reinterpret_cast<const uint4*>(w), w_scale,
                                                             m, n, k);
  return cudaGetLastError();
}
