// Rung 7: a cache of 8-bit floats: half the bytes, widened to half precision on the way to the Tensor Cores.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

#include "last_block.h"

constexpr int kTile = 16;          // keys that a warp takes at a time: the rows of a matrix instruction
constexpr int kRow = kDim / 16;    // vectors of 16 bytes of a key
constexpr int kSteps = kDim / 16;  // products of 16 elements of a key each

/// What a lane loads of a tile. With line = lane / 4 and pair = lane % 4, keys are `line` and eight further
/// down, of which it has vectors pair and pair + 4. Values are those of keys pair * 2 and the next, and of
/// the two eight further down, of which it has vector `line`.
struct Tile {
  uint4 keys[2][2];
  uint4 values[4];
};

/// What a lane knows of the keys that its warp has seen, of heads pair * 2 and the next.
struct State {
  float most[2];  // the largest score, the same in all lanes of a head
  float sum[2];   // of 2^(score - most), over the keys that the lane had the scores of
  // weighted sums: of element line * 16 + i for both heads, and of the one 8 further on
  float value[kSteps][4];
};

/// Two neighbouring e4m3, of the lower half of @p bits, as two numbers in half precision, which is exact.
__device__ unsigned widen(unsigned bits) {
  const __half2_raw pair =
      __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(bits & 0xffff), __NV_E4M3);
  return static_cast<unsigned>(pair.x) | static_cast<unsigned>(pair.y) << 16;
}

/// Two numbers rounded to half precision, the first in the lower half.
__device__ unsigned pack(float first, float second) {
  const __half2 pair = __floats2half2_rn(first, second);
  return *reinterpret_cast<const unsigned*>(&pair);
}

/// Word @p i of a vector: four e4m3.
__device__ unsigned word(const uint4& vector, int i) { return reinterpret_cast<const unsigned*>(&vector)[i]; }

__device__ void load(Tile& tile, const uint4* keys, const uint4* values, int left) {
  const int line = threadIdx.x % kWarp / 4, pair = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int key = line + 8 * i;
      tile.keys[i][j] = key < left ? __ldcs(keys + key * kRow + 4 * j + pair) : uint4{};
    }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int key = pair * 2 + i % 2 + i / 2 * 8;
    tile.values[i] = key < left ? __ldcs(values + key * kRow + line) : uint4{};
  }
}

/// The lane's part of the queries: of head `line` the elements that the lane has of its keys, in the order of
/// multiply_keys(). Heads that are none are zeros.
/// @param from  vectors of eight bf16; a vector of a key has as many elements as two of these
__device__ void load_queries(unsigned (&q)[kSteps][2], const uint4* from) {
  const int line = threadIdx.x % kWarp / 4, pair = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // By turns the first and the second half of the elements of vectors pair and pair + 4 of a key.
    const int vector = line * kRow * 2 + (pair + i / 2 * 4) * 2 + i % 2;
    const uint4 part = line < kGroup ? from[vector] : uint4{};
    // TODO(1): the part's four words, each of two bf16, in half precision: step 2 * i gets the first two of
    //          them, and the next step the others (4 lines).
  }
}

/// Scores of 16 keys for 8 heads, without the scales: of key `line` for heads pair * 2 and the next, and of
/// the key eight further down for both.
__device__ void multiply_keys(float (&score)[4], const Tile& tile, const unsigned (&q)[kSteps][2]) {
  // TODO(2): eight products: of word i % 4 of vector i / 4, widened, the lower half is what rung 5 had in x
  //          or z, the upper half what it had in y or w (6 lines).
}

/// Online softmax: scores become weights, relative to the largest score so far.
__device__ void weigh(State& state, float (&score)[4]) {
#pragma unroll
  for (int head = 0; head < 2; ++head) {
    float most = fmaxf(state.most[head], fmaxf(score[head], score[head + 2]));
#pragma unroll
    for (int lanes = 4; lanes < kWarp; lanes *= 2)
      most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, lanes));
    const float factor = power_of_two(state.most[head] - most);  // a tile has a key: most is finite
    state.most[head] = most;
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      state.value[i][head] *= factor;
      state.value[i][head + 2] *= factor;
    }
    score[head] = power_of_two(score[head] - most);
    score[head + 2] = power_of_two(score[head + 2] - most);
    state.sum[head] = state.sum[head] * factor + score[head] + score[head + 2];
  }
}

__device__ void multiply_values(State& state, const Tile& tile, const float (&weight)[4]) {
  const unsigned right[2] = {transposed(pack(weight[0], weight[1])), transposed(pack(weight[2], weight[3]))};
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    // Product i is of elements line * 16 + i, in word i / 4 of the values, and of those 8 further on, two
    // words further on.
    constexpr unsigned kBytes[4] = {0x40, 0x51, 0x62, 0x73};  // byte n of both, for element n of a word
    // TODO(3): as in rung 5, a register of the left factor has two neighbouring keys of an element. Bytes are
    //          regrouped first, then the two are widened: __byte_perm by kBytes[i % 4] (7 lines).
  }
}

/// Leaves what the warp knows for the block, the values in their own scale. Of 8 heads there are kGroup.
__device__ void leave(Known& known, State& state, float v_scale) {
  const int warp = threadIdx.x / kWarp, line = threadIdx.x % kWarp / 4, pair = threadIdx.x % 4;
#pragma unroll
  for (int head = 0; head < 2; ++head) {
#pragma unroll
    for (int lanes = 4; lanes < kWarp; lanes *= 2)
      state.sum[head] += __shfl_xor_sync(kAllLanes, state.sum[head], lanes);
    const int of_group = pair * 2 + head;
    if (of_group >= kGroup) continue;
    float* const sums = known.sums[warp][of_group] + line * 16;
    // TODO(4): rung 5's, with line * 16 + i and the element eight further on, scaled: once for a result is
    //          enough (4 lines).
    if (line == 0) known.softmax[warp][of_group] = {state.most[head], state.sum[head]};
  }
}

__global__ void __launch_bounds__(kBlock, 2)  // at most 128 registers: two blocks a multiprocessor
    fp8_kernel(__nv_bfloat16* o, Scratch scratch, const uint4* q, const uint4* k, const uint4* v,
               const float* k_scale, const float* v_scale, const int* lengths, int max_length) {
  const int length = lengths[blockIdx.z], begin = static_cast<int>(blockIdx.x) * kSplit;
  if (begin >= length && begin > 0) return;
  const int end = min(begin + kSplit, length), line = threadIdx.x % kWarp / 4;
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  // A score's factor: the keys' scale, the root, and log2(e), as weights are powers of two.
  const float scale = k_scale[blockIdx.y] * rsqrtf(static_cast<float>(kDim)) * 1.44269504f;
  __shared__ Known known;
  unsigned own[kSteps][2];
  load_queries(own, q + group * kGroup * kRow * 2);
  State state = {{-INFINITY, -INFINITY}};
  for (int key = begin + static_cast<int>(threadIdx.x) / kWarp * kTile; key < end; key += kWarps * kTile) {
    const std::int64_t start = (group * max_length + key) * kRow;
    Tile tile;
    load(tile, k + start, v + start, end - key);
    float score[4] = {};
    multiply_keys(score, tile, own);
#pragma unroll
    for (int j = 0; j < 4; ++j) score[j] = line + j / 2 * 8 < end - key ? score[j] * scale : -INFINITY;
    weigh(state, score);
    multiply_values(state, tile, score);
  }
  leave(known, state, v_scale[blockIdx.y]);
  finish(o, scratch, known, (length + kSplit - 1) / kSplit);
}

cudaError_t fp8_attention(__nv_bfloat16* o, const Scratch& scratch, const __nv_bfloat16* q,
                          const unsigned char* k, const unsigned char* v, const float* k_scale,
                          const float* v_scale, const int* lengths, int sequences, int kv_heads,
                          int max_length) {
  if (sequences == 0 || kv_heads == 0) return cudaSuccess;
  const int splits = (max_length + kSplit - 1) / kSplit;
  fp8_kernel<<<dim3(splits, kv_heads, sequences), kBlock>>>(
      o, scratch, reinterpret_cast<const uint4*>(q), reinterpret_cast<const uint4*>(k),
      reinterpret_cast<const uint4*>(v), k_scale, v_scale, lengths, max_length);
  return cudaGetLastError();
}
