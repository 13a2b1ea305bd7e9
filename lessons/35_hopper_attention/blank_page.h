// The contract of the blank page.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include "hopper_attention.h"  // kDim, the elements of a head

/// Attention to a window of the latest keys, with a sink, as half of the layers of some language models have
/// it. Query i is at place i + keys - queries, and sees the keys j with place - window < j <= place. Beside
/// these, each head has a *sink*: a score that is learned and belongs to no key, and takes weight away from
/// all of them. With s[j] = q[i] . k[j] / sqrt(kDim), `p[j] = exp(s[j])` over `exp(sink[head])` and the sum
/// of exp(s[j]) of the keys that are seen, and `o[i]` is the sum of p[j] * v[j]. A row that sees no key
/// becomes 0.
///
/// @param[out] o         device, bf16 [heads][queries][kDim]
/// @param[in]  q         device, bf16 [heads][queries][kDim]
/// @param[in]  k         device, bf16 [kv_heads][keys][kDim]
/// @param[in]  v         device, bf16 [kv_heads][keys][kDim]
/// @param[in]  sink      device, float [heads], each from -1000 to 1000
/// @param      heads     of all sequences together, 0 to 65535; a multiple of kv_heads: head h has the keys
///                       and values of head h / (heads / kv_heads)
/// @param      kv_heads  >= 1
/// @param      queries   0 to 2^18
/// @param      keys      >= 0
/// @param      window    >= 1
/// @return cudaSuccess, or the launch error; where heads or queries is 0, nothing is launched
/// @note Arrays start at multiples of 16 bytes, have less than 2^31 elements, and none overlaps another;
///       inputs are finite, and no score is larger than 1000 in size. `o` is right to 2^-8 of the largest
///       |v|, and another 2^-8 of its own size.
/// @see  G. Xiao et al., "Efficient Streaming Language Models with Attention Sinks", arXiv:2309.17453
cudaError_t windowed_attention(__nv_bfloat16* o, const __nv_bfloat16* q, const __nv_bfloat16* k,
                               const __nv_bfloat16* v, const float* sink, int heads, int kv_heads,
                               int queries, int keys, int window);
