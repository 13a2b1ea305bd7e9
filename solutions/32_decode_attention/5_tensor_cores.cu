// Rung 5: 16 keys a warp at a time, multiplied by Tensor Cores: a tenth of the instructions.
#include <cstdint>

#include "last_block.h"

constexpr int kTile = 16;          // keys that a warp takes at a time: the rows of a matrix instruction
constexpr int kRow = kDim / 8;     // vectors of 16 bytes of a key
constexpr int kSteps = kDim / 16;  // products of 16 elements of a key each

/// What a lane loads of a tile. With line = lane / 4 and pair = lane % 4, keys are `line` and eight further
/// down, of which it has vectors pair, pair + 4, pair + 8 and pair + 12. Values are those of keys pair * 2
/// and the next, and of the two eight further down, of which it has vectors line and line + 8.
struct Tile {
  uint4 keys[2][4];
  uint4 values[4][2];
};

/// What a lane knows of the keys that its warp has seen, of heads pair * 2 and the next.
struct State {
  float most[2];  // the largest score, the same in all lanes of a head
  float sum[2];   // of 2^(score - most), over the keys that the lane had the scores of
  // weighted sums: of element line * 8 + i for both heads, and of the one 64 further on
  float value[kSteps][4];
};

__device__ void load(Tile& tile, const uint4* keys, const uint4* values, int left) {
  const int line = threadIdx.x % kWarp / 4, pair = threadIdx.x % 4;
  // TODO(1): what Tile says; keys from `left` on do not exist, and become zeros (10 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int key = line + 8 * i;
      tile.keys[i][j] = key < left ? __ldcs(keys + key * kRow + 4 * j + pair) : uint4{};
    }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int key = pair * 2 + i % 2 + i / 2 * 8;
      tile.values[i][j] = key < left ? __ldcs(values + key * kRow + 8 * j + line) : uint4{};
    }
  // END SOLUTION
}

/// Scores of 16 keys for 8 heads: of key `line` for heads pair * 2 and the next, and of the key eight further
/// down for both.
/// @param q  of head `line` the vectors that the lane has of its keys, two registers a step
__device__ void multiply_keys(float (&score)[4], const Tile& tile, const unsigned (&q)[kSteps][2]) {
  // A product adds up over all elements of a key in any order, as long as both factors have the same one. So
  // a lane need not have the columns that the instruction names: its 16 bytes are two
  // steps' four pairs.
  // TODO(2): eight products: of each vector x and y are a step, z and w the next (8 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const uint4 low = tile.keys[0][j], high = tile.keys[1][j];
    const unsigned even[4] = {low.x, high.x, low.y, high.y}, odd[4] = {low.z, high.z, low.w, high.w};
    multiply_add(score, even, q[2 * j]);
    multiply_add(score, odd, q[2 * j + 1]);
  }
  // END SOLUTION
}

/// Online softmax: scores become weights, relative to the largest score so far.
__device__ void weigh(State& state, float (&score)[4]) {
#pragma unroll
  for (int head = 0; head < 2; ++head) {
    // TODO(3): the largest score of the head: the lane's two, and those of the lanes whose `line` is another;
    //          the sum and the values rescaled to it, values [i][head] and [i][head + 2]; the weights
    //          (11 lines).
    // BEGIN SOLUTION
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
    // END SOLUTION
  }
}

/// Two numbers rounded to bf16, the first in the lower half.
__device__ unsigned pack(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const unsigned*>(&pair);
}

__device__ void multiply_values(State& state, const Tile& tile, const float (&weight)[4]) {
  // Weights are [key][head], a lane has two heads of a key; as the right factor it needs two keys of a head.
  const unsigned right[2] = {transposed(pack(weight[0], weight[1])), transposed(pack(weight[2], weight[3]))};
  // The left factor is the values transposed: [element][key], a register has two neighbouring keys of an
  // element. The lane's registers have two elements of a key, and so lower and upper halves are regrouped.
  constexpr unsigned kHalves[2] = {0x5410, 0x7632};  // for __byte_perm: both lower halves, or both upper ones
  const auto word = [&](int key, int part, int i) {
    return reinterpret_cast<const unsigned*>(&tile.values[key][part])[i];
  };
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    // TODO(4): product i is of elements line * 8 + i, in tile.values[...][0], and 64 + line * 8 + i, in
    //          tile.values[...][1]: with word i / 2 of each, and by kHalves[i % 2] (5 lines).
    // BEGIN SOLUTION
    unsigned left[4];
    // By turns the element and the one 64 further on; then the same of the keys eight further down.
#pragma unroll
    for (int j = 0; j < 4; ++j)
      left[j] = __byte_perm(word(j / 2 * 2, j % 2, i / 2), word(j / 2 * 2 + 1, j % 2, i / 2), kHalves[i % 2]);
    multiply_add(state.value[i], left, right);
    // END SOLUTION
  }
}

/// Leaves what the warp knows for the block. Of 8 heads there are kGroup.
__device__ void leave(Known& known, State& state) {
  const int warp = threadIdx.x / kWarp, line = threadIdx.x % kWarp / 4, pair = threadIdx.x % 4;
#pragma unroll
  for (int head = 0; head < 2; ++head) {
#pragma unroll
    for (int lanes = 4; lanes < kWarp; lanes *= 2)
      state.sum[head] += __shfl_xor_sync(kAllLanes, state.sum[head], lanes);
    const int of_group = pair * 2 + head;
    if (of_group >= kGroup) continue;
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      known.sums[warp][of_group][line * 8 + i] = state.value[i][head];
      known.sums[warp][of_group][line * 8 + i + 64] = state.value[i][head + 2];
    }
    if (line == 0) known.softmax[warp][of_group] = {state.most[head], state.sum[head]};
  }
}

/// The lane's part of the queries: head `line`, in the order of multiply_keys(). Others are zeros.
__device__ void load_queries(unsigned (&q)[kSteps][2], const uint4* from) {
  const int line = threadIdx.x % kWarp / 4, pair = threadIdx.x % 4;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const uint4 part = line < kGroup ? from[line * kRow + 4 * j + pair] : uint4{};
    q[2 * j][0] = part.x;
    q[2 * j][1] = part.y;
    q[2 * j + 1][0] = part.z;
    q[2 * j + 1][1] = part.w;
  }
}

/// Takes a tile into a warp's state.
__device__ void take(State& state, const unsigned (&q)[kSteps][2], const uint4* keys, const uint4* values,
                     int left) {
  Tile tile;
  load(tile, keys, values, left);
  float score[4] = {};
  multiply_keys(score, tile, q);
  // In units of log(2), so that 2^x, one instruction, gives the weights.
  const float scale = rsqrtf(static_cast<float>(kDim)) * 1.44269504f;
  const int line = threadIdx.x % kWarp / 4;
#pragma unroll
  for (int j = 0; j < 4; ++j) score[j] = line + j / 2 * 8 < left ? score[j] * scale : -INFINITY;
  weigh(state, score);
  multiply_values(state, tile, score);
}

__global__ void __launch_bounds__(kBlock, 2)  // at most 128 registers: two blocks a multiprocessor
    decode_kernel(__nv_bfloat16* o, Scratch scratch, const uint4* q, const uint4* k, const uint4* v,
                  const int* lengths, int max_length) {
  const int length = lengths[blockIdx.z], begin = static_cast<int>(blockIdx.x) * kSplit;
  if (begin >= length && begin > 0) return;
  const int end = min(begin + kSplit, length);
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  __shared__ Known known;
  unsigned own[kSteps][2];
  load_queries(own, q + group * kGroup * kRow);
  State state = {{-INFINITY, -INFINITY}};
  for (int key = begin + static_cast<int>(threadIdx.x) / kWarp * kTile; key < end; key += kWarps * kTile) {
    const std::int64_t start = (group * max_length + key) * kRow;
    take(state, own, k + start, v + start, end - key);
  }
  leave(known, state);
  finish(o, scratch, known, (length + kSplit - 1) / kSplit);
}

cudaError_t decode_attention(__nv_bfloat16* o, const Scratch& scratch, const __nv_bfloat16* q,
                             const __nv_bfloat16* k, const __nv_bfloat16* v, const int* lengths,
                             int sequences, int kv_heads, int max_length) {
  if (sequences == 0 || kv_heads == 0) return cudaSuccess;
  const int splits = (max_length + kSplit - 1) / kSplit;
  decode_kernel<<<dim3(splits, kv_heads, sequences), kBlock>>>(
      o, scratch, reinterpret_cast<const uint4*>(q), reinterpret_cast<const uint4*>(k),
      reinterpret_cast<const uint4*>(v), lengths, max_length);
  return cudaGetLastError();
}
