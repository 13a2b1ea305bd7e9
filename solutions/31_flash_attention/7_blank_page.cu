// Blank page: the losses of a language model, whose logits are in registers and nowhere else.
#include <cstddef>

#include "blank_page.h"
#include "instructions.h"

// TODO(1): token_losses(), whose contract is in blank_page.h: the kernel, any functions that you want it to
//          call, and the launch (about 120 lines).
// BEGIN SOLUTION
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr int kTokens = 128;                       // that a block covers: 32 a warp,
constexpr int kFragments = kTokens / kWarps / 16;  // as two fragments
constexpr int kWords = 64;                         // that it takes at a time
constexpr int kStages = 2;                         // tiles of words: one is multiplied, one comes in
constexpr int kVectors = kDim / 8;                 // of 16 bytes, in a row
constexpr int kSharedBytes = (kTokens + kStages * kWords) * kDim * static_cast<int>(sizeof(__nv_bfloat16));
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kLog2e = 1.44269504f, kLn2 = 0.69314718f;

__device__ int place(int row, int vec) { return row * kVectors + (vec ^ row % 8); }

template <int kRows>
__device__ void fetch(uint4* tile, const __nv_bfloat16* matrix, int row0, int rows) {
  constexpr int kRowsAtOnce = kThreads / kVectors;
  const int row = threadIdx.x / kVectors, vec = threadIdx.x % kVectors;
#pragma unroll
  for (int down = row; down < kRows + row; down += kRowsAtOnce)
    copy_vector(&tile[place(down, vec)], matrix + static_cast<std::size_t>(row0 + down) * kDim + vec * 8,
                row0 + down < rows);
  end_group();
}

__global__ void __launch_bounds__(kThreads, 2)
    losses_kernel(float* loss, const __nv_bfloat16* x, const __nv_bfloat16* w, const int* target, int tokens,
                  int words) {
  extern __shared__ uint4 shared[];
  uint4 *const x_tile = shared, *const stages = shared + kTokens * kVectors;
  const int row0 = blockIdx.x * kTokens;
  const int lane = threadIdx.x % 32, top = threadIdx.x / 32 * kFragments * 16;  // the warp's first row
  fetch<kTokens>(x_tile, x, row0, tokens);
  fetch<kWords>(stages, w, 0, words);

  // Of rows lane / 4 and lane / 4 + 8 of each fragment.
  float most[kFragments][2], sum[kFragments][2] = {}, aimed[kFragments][2] = {};
  int aim[kFragments][2];
#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = row0 + top + i * 16 + lane / 4 + r * 8;
      aim[i][r] = row < tokens ? target[row] : -1;
      most[i][r] = -INFINITY;
    }
  for (int word0 = 0; word0 < words; word0 += kWords) {
    const int step = word0 / kWords;
    wait_for_groups();
    __syncthreads();  // this tile is there, and nobody reads the one before any more
    if (word0 + kWords < words)
      fetch<kWords>(stages + (step + 1) % kStages * kWords * kVectors, w, word0 + kWords, words);
    const uint4* const tile = stages + step % kStages * kWords * kVectors;
    float logit[kFragments][kWords / 8][4] = {};
#pragma unroll
    for (int d = 0; d < kVectors; d += 2) {
      unsigned a[kFragments][4], b[4];
#pragma unroll
      for (int i = 0; i < kFragments; ++i)
        load_matrices(a[i], &x_tile[place(top + i * 16 + lane % 16, d + lane / 16)]);
#pragma unroll
      for (int n = 0; n < kWords / 16; ++n) {
        load_matrices(b, &tile[place(n * 16 + lane / 16 * 8 + lane % 8, d + lane / 8 % 2)]);
#pragma unroll
        for (int i = 0; i < kFragments; ++i) {
          multiply_add(logit[i][2 * n], a[i], b[0], b[1]);
          multiply_add(logit[i][2 * n + 1], a[i], b[2], b[3]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kFragments; ++i)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        float larger = most[i][r];
#pragma unroll
        for (int n = 0; n < kWords / 8; ++n)
#pragma unroll
          for (int e = 2 * r; e < 2 * r + 2; ++e) {
            const int word = word0 + n * 8 + lane % 4 * 2 + e % 2;
            if (word == aim[i][r]) aimed[i][r] = logit[i][n][e];
            if (word >= words) logit[i][n][e] = -INFINITY;
            larger = fmaxf(larger, logit[i][n][e]);
          }
        // A lane has a largest logit and a sum of its own columns, until the end. It may have none yet.
        const float base = larger == -INFINITY ? 0 : larger * kLog2e;
        sum[i][r] *= power_of_two(most[i][r] * kLog2e - base);
        most[i][r] = larger;
#pragma unroll
        for (int n = 0; n < kWords / 8; ++n)
          sum[i][r] += power_of_two(logit[i][n][2 * r] * kLog2e - base) +
                       power_of_two(logit[i][n][2 * r + 1] * kLog2e - base);
      }
  }

#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int lanes = 1; lanes < 4; lanes *= 2) {
        const float other = __shfl_xor_sync(kAllLanes, most[i][r], lanes);
        const float larger = fmaxf(most[i][r], other);
        const float base = larger == -INFINITY ? 0 : larger * kLog2e;
        const float part = sum[i][r] * power_of_two(most[i][r] * kLog2e - base);
        sum[i][r] = part + __shfl_xor_sync(kAllLanes, part, lanes);
        aimed[i][r] += __shfl_xor_sync(kAllLanes, aimed[i][r], lanes);
        most[i][r] = larger;
      }
      const int row = row0 + top + i * 16 + lane / 4 + r * 8;
      if (row < tokens && lane % 4 == 0) loss[row] = most[i][r] - aimed[i][r] + log2f(sum[i][r]) * kLn2;
    }
}

cudaError_t token_losses(float* loss, const __nv_bfloat16* x, const __nv_bfloat16* w, const int* target,
                         int tokens, int words) {
  if (tokens == 0) return cudaSuccess;
  const cudaError_t error =
      cudaFuncSetAttribute(losses_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error != cudaSuccess) return error;
  losses_kernel<<<(tokens + kTokens - 1) / kTokens, kThreads, kSharedBytes>>>(loss, x, w, target, tokens,
                                                                              words);
  return cudaGetLastError();
}
// END SOLUTION
