// The contract of the lesson: three functions, of which a rung defines one. What they have in common: every
// sequence has one new token, and with it one query a head; the keys and values of all tokens so far are in a
// cache. kGroup heads of queries share a head of keys and values: head h has those of head h / kGroup. With
// s[j] = q . k[j] / sqrt(kDim) for the keys j < length of the sequence, and p[j] = exp(s[j]) over the sum of
// all exp(s[j]), a head's result is `o = p[0] * v[0] + p[1] * v[1] + ...`, rounded to bf16 once. A sequence
// of no keys becomes 0. Arrays are row-major, start at multiples of 16 bytes, have less than 2^31 elements,
// and none overlaps another. Queries, and keys and values of tokens that are there, are finite, and no score
// is larger than 1000 in size; what lies behind a sequence's length may be anything, NaNs among it.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

constexpr int kDim = 128;     ///< elements of a head
constexpr int kGroup = 4;     ///< heads of queries that share a head of keys and values
constexpr int kSplit = 1024;  ///< keys of a sequence that one block takes, from rung 3 on
constexpr int kPage = 16;     ///< tokens of a page, in rung 6

/// The largest of some scores, and the sum of exp(score - largest) over them.
struct Softmax {
  float most;
  float sum;
};

/// What blocks leave for others, with splits = ceil(max_length / kSplit). Rungs 1 and 2 have no use for it.
struct Scratch {
  float* sums;  ///< device, [sequences][kv_heads][splits][kGroup][kDim]: weighted sums of a split's values
  Softmax* softmax;   ///< device, [sequences][kv_heads][splits][kGroup]: what their weights are relative to
  unsigned* arrived;  ///< device, [sequences][kv_heads]: 0 when the function is called, and left so
};

/// Attention of one new token in each sequence.
///
/// @param[out]    o           device, bf16 [sequences][kv_heads][kGroup][kDim]
/// @param[in,out] scratch     memory for whatever a rung hands from block to block
/// @param[in]     q           device, bf16 [sequences][kv_heads][kGroup][kDim]
/// @param[in]     k           device, bf16 [sequences][kv_heads][max_length][kDim]
/// @param[in]     v           device, bf16 [sequences][kv_heads][max_length][kDim]
/// @param[in]     lengths     device, int [sequences], each from 0 to max_length
/// @param         sequences   0 to 65535
/// @param         kv_heads    0 to 65535
/// @param         max_length  1 or more; rung 1 is asked for 8192 at most
/// @return cudaSuccess, or the launch error; where sequences or kv_heads is 0, nothing is launched
/// @note Reads 4 * kDim bytes for each key and head of keys. Sums are kept in single precision; weights may
///       be rounded to bf16 before they are multiplied with v: `o` is right to 2^-8 of the largest |v|, and
///       another 2^-8 of its own size.
/// @see  T. Dao, D. Haziza, F. Massa and G. Sizov, "Flash-Decoding for long-context inference", 2023
cudaError_t decode_attention(__nv_bfloat16* o, const Scratch& scratch, const __nv_bfloat16* q,
                             const __nv_bfloat16* k, const __nv_bfloat16* v, const int* lengths,
                             int sequences, int kv_heads, int max_length);  // rungs 1 to 5

/// The same with a cache of pages: token j of sequence b is in slot j % kPage of page
/// `table[b][j / kPage]`. Two sequences may share pages.
///
/// @param[in] k          device, bf16 [pages][kv_heads][kPage][kDim], for as many pages as there are
/// @param[in] v          device, bf16 [pages][kv_heads][kPage][kDim]
/// @param[in] table      device, int [sequences][max_pages]; what lies behind a sequence's last page may be
///                       any number
/// @param[in] lengths    device, int [sequences], each from 0 to max_pages * kPage
/// @param     max_pages  >= 1; max_length, for the scratch memory, is max_pages * kPage
/// @see  W. Kwon et al., "Efficient Memory Management for Large Language Model Serving with PagedAttention",
///       arXiv:2309.06180
cudaError_t paged_attention(__nv_bfloat16* o, const Scratch& scratch, const __nv_bfloat16* q,
                            const __nv_bfloat16* k, const __nv_bfloat16* v, const int* table,
                            const int* lengths, int sequences, int kv_heads, int max_pages);  // rung 6

/// The same as decode_attention with a cache of 8-bit floats, e4m3: key j is `k_scale[head] * k[...][j]`, and
/// likewise its value.
///
/// @param[in] k        device, e4m3 [sequences][kv_heads][max_length][kDim]
/// @param[in] v        device, e4m3 [sequences][kv_heads][max_length][kDim]
/// @param[in] k_scale  device, float [kv_heads], > 0
/// @param[in] v_scale  device, float [kv_heads], > 0
/// @note Reads half as many bytes. Queries are smaller than 2^15.
/// @see  P. Micikevicius et al., "FP8 Formats for Deep Learning", arXiv:2209.05433
cudaError_t fp8_attention(__nv_bfloat16* o, const Scratch& scratch, const __nv_bfloat16* q,
                          const unsigned char* k, const unsigned char* v, const float* k_scale,
                          const float* v_scale, const int* lengths, int sequences, int kv_heads,
                          int max_length);  // rung 7
