// The contract of the lesson: three functions, of which a rung defines one. What they have in common: a query
// row i of a head sees the keys 0, 1, ... up to a number that depends on i. With s[j] = q[i] . k[j] /
// sqrt(dim) for those, and p[j] = exp(s[j]) over the sum of all exp(s[j]), `o[i] = p[0] * v[0] + p[1] * v[1]
// + ...`, rounded to bf16 once. A row that sees no key becomes 0. Arrays are row-major, start at multiples of
// 16 bytes, have less than 2^31 elements, and none overlaps another. Inputs are finite, and no score is
// larger than 1000 in size.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

/// Elements of a head in rungs 1 to 5.
constexpr int kDim = 128;

/// Attention: each query sees all keys.
///
/// @param[out] o        device, bf16 [heads][queries][kDim]
/// @param[out] scratch  device, float [heads][queries][keys]; anything may be left in it
/// @param[in]  q        device, bf16 [heads][queries][kDim]
/// @param[in]  k        device, bf16 [heads][keys][kDim]
/// @param[in]  v        device, bf16 [heads][keys][kDim]
/// @param      heads    of all sequences together, 0 to 65535
/// @param      queries  0 to 2^18
/// @param      keys     >= 0; where it is 0, o becomes 0
/// @return cudaSuccess, or the launch error; where heads or queries is 0, nothing is launched
/// @note 4 * heads * queries * keys * kDim flop. Sums are kept in single precision; weights may be rounded to
///       bf16 before they are multiplied with v: `o` is right to 2^-8 of the largest |v|, and another 2^-8 of
///       its own size.
/// @see  T. Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness",
///       arXiv:2205.14135
cudaError_t attention(__nv_bfloat16* o, float* scratch, const __nv_bfloat16* q, const __nv_bfloat16* k,
                      const __nv_bfloat16* v, int heads, int queries, int keys);  // rungs 1 to 3

/// Causal attention: the queries are the last ones of their sequence, whose keys are all there. So query i is
/// at place i + keys - queries, and sees the keys up to and including that place: j <= i + keys - queries.
/// Where there are more queries than keys, the first ones see none.
///
/// @note The parameters are those of attention(). Half of its flop, where there are as many keys as queries.
cudaError_t causal_attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                             const __nv_bfloat16* v, int heads, int queries, int keys);  // rungs 4 and 5

/// Attention over a batch of sequences that are not equally long, with fewer heads of keys than of queries.
/// A query of sequence b sees keys j < lengths[b], and, if causal, those with j <= i + lengths[b] - queries.
///
/// @param[out] o         device, bf16 [batch][heads][queries][dim]
/// @param[in]  q         device, bf16 [batch][heads][queries][dim]
/// @param[in]  k         device, bf16 [batch][kv_heads][keys][dim]
/// @param[in]  v         device, bf16 [batch][kv_heads][keys][dim]; what lies behind a sequence's length, in
///                       k and v, may be anything, NaNs among it
/// @param[in]  lengths   device, int [batch], each from 0 to keys
/// @param      batch     >= 0
/// @param      heads     a multiple of kv_heads; head h has the keys and values of head h / (heads /
/// kv_heads)
/// @param      kv_heads  >= 1
/// @param      queries   >= 0
/// @param      keys      >= 0
/// @param      dim       64 or 128
/// @param      causal    whether a query sees only what is not behind it
/// @return cudaSuccess, or the launch error; where batch, heads or queries is 0, nothing is launched
/// @see  J. Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
///       Checkpoints", arXiv:2305.13245
cudaError_t grouped_attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                              const __nv_bfloat16* v, const int* lengths, int batch, int heads, int kv_heads,
                              int queries, int keys, int dim, bool causal);  // rung 6
