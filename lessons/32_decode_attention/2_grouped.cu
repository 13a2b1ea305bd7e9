// Rung 2: the heads of a group share a block, so that a key is read once, and no score is kept.
#include <cstdint>

#include "decode_attention.h"
#include "instructions.h"

constexpr int kWide = 8;                    // bf16 in 16 bytes, the widest access a thread has
constexpr int kTeam = kDim / kWide;         // lanes that share a key: 16, half a warp
constexpr int kBlock = 256;                 // threads a block
constexpr int kTeams = kBlock / kTeam;      // keys that lie side by side in one access of the block
constexpr int kKeys = 4;                    // keys of a team that are under way together
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// Eight neighbours, as they are computed with.
struct Eight {
  float at[kWide];
};

/// The eight bf16 that lie in 16 bytes, the first in the lower half of x.
__device__ Eight unpack(uint4 bits) {
  const __nv_bfloat162* const pair = reinterpret_cast<const __nv_bfloat162*>(&bits);
  Eight result;
#pragma unroll
  for (int j = 0; j < kWide / 2; ++j) {
    const float2 two = __bfloat1622float2(pair[j]);
    result.at[2 * j] = two.x;
    result.at[2 * j + 1] = two.y;
  }
  return result;
}

/// What a lane knows of the keys that its team has seen, for each head of the group.
struct State {
  float most[kGroup];   // the largest score
  float sum[kGroup];    // of exp2(score - most)
  Eight value[kGroup];  // of the same, times the lane's eight elements of the values
};

/// Takes kKeys keys into a team's state.
/// @param q      the lane's eight elements of each query; their products are scores in units of log(2)
/// @param left   how many of the keys exist; those that do not are zeros
__device__ void take(State& state, const Eight (&q)[kGroup], const uint4 (&k)[kKeys], const uint4 (&v)[kKeys],
                     int left) {
  float score[kKeys][kGroup];
  // TODO(1): each lane's part of the scores, and their sums over the team, in every lane: __shfl_xor_sync
  //          with distances below kTeam stays within it (10 lines).
#pragma unroll
  for (int head = 0; head < kGroup; ++head) {
    // TODO(2): online softmax, for one head: the new maximum; what is there is rescaled to it; scores become
    //          weights, and the sum grows by them (10 lines).
  }
  // TODO(3): the values, by their weights (7 lines).
}

/// What this lane's team learns of keys begin to end - 1.
/// @param q       the group's queries
/// @param keys    of the group's head, the first of all of them; likewise @p values
__device__ State attend(const uint4* q, const uint4* keys, const uint4* values, int begin, int end) {
  const int team = threadIdx.x / kTeam, part = threadIdx.x % kTeam;
  // Scores are wanted in units of log(2), so that 2^x, one instruction, gives the weights.
  const float scale = rsqrtf(static_cast<float>(kDim)) * 1.44269504f;
  State state = {};
  Eight own[kGroup];
#pragma unroll
  for (int head = 0; head < kGroup; ++head) {
    own[head] = unpack(q[head * kTeam + part]);
#pragma unroll
    for (int j = 0; j < kWide; ++j) own[head].at[j] *= scale;
    state.most[head] = -INFINITY;
  }
  // All teams run equally often, since take() has shuffles that name all lanes.
  for (int first = begin; first < end; first += kTeams * kKeys) {
    uint4 held[kKeys] = {}, weighted[kKeys] = {};  // zeros where there is no key
    int left = 0;
    // TODO(5): kKeys keys and values, all loads before take(): team t has keys first + t, first + t + kTeams,
    //          and so on; `left` counts those that exist (8 lines).
    take(state, own, held, weighted, left);
  }
  return state;
}

/// Leaves the block's result for the group in `sums` and `softmax`: what its teams know, combined.
__device__ void combine(const State& state, float (&sums)[kGroup][kDim], Softmax (&softmax)[kGroup]) {
  __shared__ Softmax of_team[kTeams][kGroup];
  __shared__ float4 values[kTeams][kGroup][kTeam][2];
  const int team = threadIdx.x / kTeam, part = threadIdx.x % kTeam;
#pragma unroll
  for (int head = 0; head < kGroup; ++head) {
    const float* const at = state.value[head].at;
    values[team][head][part][0] = make_float4(at[0], at[1], at[2], at[3]);
    values[team][head][part][1] = make_float4(at[4], at[5], at[6], at[7]);
    if (part == 0) of_team[team][head] = {state.most[head], state.sum[head]};
  }
  __syncthreads();  // all teams have left what they know
  for (int i = threadIdx.x; i < kGroup * kDim; i += kBlock) {
    const int head = i / kDim;
    Softmax all = {-INFINITY, 0};
    float value = 0;
    // TODO(4): the largest of the teams' maxima; then the sums, and the element i % kDim of the values, each
    //          rescaled to it (6 lines). A team may have seen no key.
    sums[head][i % kDim] = value;
    if (i % kDim == 0) softmax[head] = all;
  }
  __syncthreads();  // the result is there
}

__global__ void __launch_bounds__(kBlock, 2)  // at most 128 registers: two blocks a multiprocessor
    decode_kernel(__nv_bfloat16* o, const uint4* q, const uint4* k, const uint4* v, const int* lengths,
                  int max_length) {
  const int length = lengths[blockIdx.y];
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  const std::int64_t cache = group * max_length * kTeam;
  __shared__ float sums[kGroup][kDim];
  __shared__ Softmax softmax[kGroup];
  combine(attend(q + group * kGroup * kTeam, k + cache, v + cache, 0, length), sums, softmax);
  for (int i = threadIdx.x; i < kGroup * kDim; i += kBlock)
    o[group * kGroup * kDim + i] =
        __float2bfloat16(length > 0 ? sums[i / kDim][i % kDim] / softmax[i / kDim].sum : 0.0f);
}

cudaError_t decode_attention(__nv_bfloat16* o, const Scratch&, const __nv_bfloat16* q, const __nv_bfloat16* k,
                             const __nv_bfloat16* v, const int* lengths, int sequences, int kv_heads,
                             int max_length) {
  if (sequences == 0 || kv_heads == 0) return cudaSuccess;
  decode_kernel<<<dim3(kv_heads, sequences), kBlock>>>(
      o, reinterpret_cast<const uint4*>(q), reinterpret_cast<const uint4*>(k),
      reinterpret_cast<const uint4*>(v), lengths, max_length);
  return cudaGetLastError();
}
