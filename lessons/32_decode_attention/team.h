// What rung 2 has made, for rungs 3 and 4: teams of half a warp, and what a block's teams know, combined.
#pragma once

#include <cuda_bf16.h>

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
__device__ inline Eight unpack(uint4 bits) {
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
__device__ inline void take(State& state, const Eight (&q)[kGroup], const uint4 (&k)[kKeys],
                            const uint4 (&v)[kKeys], int left) {
  float score[kKeys][kGroup];
#pragma unroll
  for (int i = 0; i < kKeys; ++i) {
    const Eight key = unpack(k[i]);
#pragma unroll
    for (int head = 0; head < kGroup; ++head) {
      float sum = 0;
#pragma unroll
      for (int j = 0; j < kWide; ++j) sum += q[head].at[j] * key.at[j];
#pragma unroll
      for (int lanes = kTeam / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kAllLanes, sum, lanes);
      score[i][head] = i < left ? sum : -INFINITY;
    }
  }
#pragma unroll
  for (int head = 0; head < kGroup; ++head) {
    float most = state.most[head];
#pragma unroll
    for (int i = 0; i < kKeys; ++i) most = fmaxf(most, score[i][head]);
    const float factor = rescale(state.most[head], most);
    state.most[head] = most;
    state.sum[head] *= factor;
#pragma unroll
    for (int j = 0; j < kWide; ++j) state.value[head].at[j] *= factor;
#pragma unroll
    for (int i = 0; i < kKeys; ++i) state.sum[head] += score[i][head] = rescale(score[i][head], most);
  }
#pragma unroll
  for (int i = 0; i < kKeys; ++i) {
    const Eight value = unpack(v[i]);
#pragma unroll
    for (int head = 0; head < kGroup; ++head)
#pragma unroll
      for (int j = 0; j < kWide; ++j) state.value[head].at[j] += score[i][head] * value.at[j];
  }
}

/// What this lane's team learns of keys begin to end - 1.
/// @param q       the group's queries
/// @param keys    of the group's head, the first of all of them; likewise @p values
__device__ inline State attend(const uint4* q, const uint4* keys, const uint4* values, int begin, int end) {
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
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      const int key = first + i * kTeams + team;
      if (key >= end) continue;
      held[i] = __ldcs(keys + static_cast<std::int64_t>(key) * kTeam + part);
      weighted[i] = __ldcs(values + static_cast<std::int64_t>(key) * kTeam + part);
      left = i + 1;
    }
    take(state, own, held, weighted, left);
  }
  return state;
}

/// Leaves the block's result for the group in `sums` and `softmax`: what its teams know, combined.
__device__ inline void combine(const State& state, float (&sums)[kGroup][kDim], Softmax (&softmax)[kGroup]) {
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
    for (int other = 0; other < kTeams; ++other) all.most = fmaxf(all.most, of_team[other][head].most);
    for (int other = 0; other < kTeams; ++other) {
      const float factor = rescale(of_team[other][head].most, all.most);
      all.sum += factor * of_team[other][head].sum;
      value += factor * reinterpret_cast<const float*>(values[other][head])[i % kDim];
    }
    sums[head][i % kDim] = value;
    if (i % kDim == 0) softmax[head] = all;
  }
  __syncthreads();  // the result is there
}
