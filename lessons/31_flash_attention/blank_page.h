// The contract of the blank page.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

/// Elements of a token, and of a word.
constexpr int kDim = 128;

/// The loss of a language model, for each token, without the matrix of its logits in memory. The logit of
/// word j at token t is `x[t] . w[j]`, a product of kDim elements, and `loss[t] = log(exp(logit[0]) +
/// exp(logit[1]) + ...) - logit[target[t]]`.
///
/// @param[out] loss    device, float [tokens]
/// @param[in]  x       device, bf16 [tokens][kDim], row-major
/// @param[in]  w       device, bf16 [words][kDim], row-major
/// @param[in]  target  device, int [tokens], each from 0 to words - 1
/// @param      tokens  >= 0
/// @param      words   >= 1
/// @return cudaSuccess, or the launch error; where tokens is 0, nothing is launched
/// @note Arrays start at multiples of 16 bytes and have less than 2^31 elements; inputs are finite, no logit
///       is larger than 1000 in size. 2 * tokens * words * kDim flop.
/// @see  E. Wijmans et al., "Cut Your Losses in Large-Vocabulary Language Models", arXiv:2411.09009
cudaError_t token_losses(float* loss, const __nv_bfloat16* x, const __nv_bfloat16* w, const int* target,
                         int tokens, int words);
