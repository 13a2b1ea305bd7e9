// The contract of the lesson: four functions of a layer with experts, of which a rung defines one.
//
// Each token is sent to `top_k` of `experts` experts. Token t and its choice number j are *pair*
// t * top_k + j. Pairs sorted by expert are *rows*: row i belongs to pair[i], and expert e has the rows i
// with start[e] <= i < start[e + 1]. It may have none of them, or all. Arrays of bf16 are row-major, begin at
// multiples of 16 bytes, have less than 2^31 elements and hold finite numbers; none overlaps another. Sums
// are kept in single precision. On every device that the lesson runs on, n and k are multiples of 8.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

constexpr int kMostExperts = 256;  ///< no layer has more

/// Multiplies each row by the weights of its expert: `y[i][j] = x[i] . w[e][j]`, rounded once.
///
/// @param[out] y        device, bf16 [rows][n]
/// @param[in]  x        device, bf16 [rows][k], sorted by expert
/// @param[in]  w        device, bf16 [experts][n][k]
/// @param[in]  start    device, int [experts + 1], ascending, from 0 to @p rows
/// @param      experts  1 to kMostExperts
/// @param      rows     >= 0
/// @param      n        outputs, >= 0, a multiple of 8
/// @param      k        inputs, >= 0, a multiple of 8; where it is 0, all of y becomes 0
/// @return cudaSuccess, or the launch error; where rows or n is 0, nothing is launched
/// @note 2 * rows * n * k flop.
/// @see  T. Gale, D. Narayanan, C. Young and M. Zaharia, "MegaBlocks: Efficient Sparse Training with
///       Mixture-of-Experts", arXiv:2211.15841
cudaError_t grouped_matmul(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w, const int* start,
                           int experts, int rows, int n, int k);  // rungs 1 to 3

/// The same with tokens that have not been sorted: `y[i][j] = x[pair[i] / top_k] . w[e][j]`.
///
/// @param[in] x       device, bf16 [tokens][k], in any order
/// @param[in] pair    device, int [tokens * top_k], a permutation of 0 to tokens * top_k - 1
/// @param     tokens  >= 0; rows are tokens * top_k
/// @param     top_k   >= 1
cudaError_t gathered_matmul(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w,
                            const int* start, const int* pair, int experts, int tokens, int top_k, int n,
                            int k);  // rung 4

/// The way back: what a token's experts say, weighted and added up,
/// `out[t][j] = sum over i with pair[i] / top_k = t of weight[pair[i]] * (h[i] . w[e][j])`.
///
/// @param[out] out     device, bf16 [tokens][n]
/// @param[out] parts   device, bf16 [tokens * top_k][n]: memory for what belongs to each pair; nobody looks
///                     at what is left there
/// @param[in]  h       device, bf16 [tokens * top_k][k], sorted by expert
/// @param[in]  weight  device, float [tokens * top_k], of each pair, from 0 to 1
/// @note A pair's part may be rounded to bf16 before it is added: out is right to 2^-8 of the sum of all
///       |parts|.
cudaError_t combined_matmul(__nv_bfloat16* out, __nv_bfloat16* parts, const __nv_bfloat16* h,
                            const __nv_bfloat16* w, const int* start, const int* pair, const float* weight,
                            int experts, int tokens, int top_k, int n, int k);  // rung 5

/// Sorts the pairs by expert. Pairs of the same expert stay in order, so that every run gives the same.
///
/// @param[out] start   device, int [experts + 1]: how many pairs choose an expert before this one
/// @param[out] pair    device, int [pairs]: the pairs, sorted
/// @param[in]  choice  device, int [pairs], from 0 to experts - 1: the expert of each pair
/// @param      pairs   >= 0; where it is 0, start still becomes 0
/// @return cudaSuccess, or the launch error
cudaError_t sort_by_expert(int* start, int* pair, const int* choice, int experts, int pairs);  // rung 6
