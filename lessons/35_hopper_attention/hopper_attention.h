// The contract of the lesson: two functions, of which a rung defines one. What they have in common: a query
// row i of a head sees the keys 0, 1, ... up to a number that depends on i. With s[j] = q[i] . k[j] /
// sqrt(kDim) for those, and p[j] = exp(s[j]) over the sum of all exp(s[j]), `o[i] = p[0] * v[0] + p[1] * v[1]
// + ...`, rounded to bf16 once. A row that sees no key becomes 0. Arrays are row-major, start at multiples of
// 16 bytes, have less than 2^31 elements, and none overlaps another. Inputs are finite, and no score is
// larger than 1000 in size.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

/// Elements of a head.
constexpr int kDim = 128;

/// Attention: each query sees all keys.
///
/// @param[out] o         device, bf16 [heads][queries][kDim]
/// @param[in]  q         device, bf16 [heads][queries][kDim]
/// @param[in]  k         device, bf16 [kv_heads][keys][kDim]
/// @param[in]  v         device, bf16 [kv_heads][keys][kDim]
/// @param      heads     of all sequences together, 0 to 65535; a multiple of kv_heads: head h has the keys
///                       and values of head h / (heads / kv_heads)
/// @param      kv_heads  >= 1
/// @param      queries   0 to 2^18
/// @param      keys      >= 0; where it is 0, o becomes 0
/// @return cudaSuccess, or the launch error; where heads or queries is 0, nothing is launched
/// @note 4 * heads * queries * keys * kDim flop. Sums are kept in single precision; weights may be rounded to
///       bf16 before they are multiplied with v: `o` is right to 2^-8 of the largest |v|, and another 2^-8 of
///       its own size.
/// @see  J. Shah et al., "FlashAttention-3: Fast and Accurate Attention with Asynchrony and Low-precision",
///       arXiv:2407.08608
cudaError_t attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                      const __nv_bfloat16* v, int heads, int kv_heads, int queries,
                      int keys);  // rungs 1 to 5

/// Causal attention: the queries are the last ones of their sequence, whose keys are all there. So query i is
/// at place i + keys - queries, and sees the keys up to and including that place: j <= i + keys - queries.
/// Where there are more queries than keys, the first ones see none.
///
/// @note The parameters are those of attention(). Half of its flop, where there are as many keys as queries.
cudaError_t causal_attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                             const __nv_bfloat16* v, int heads, int kv_heads, int queries,
                             int keys);  // rung 6
