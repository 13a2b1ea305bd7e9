// The contract of the blank page: what the experts' weights are corrected by in training.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

constexpr int kMostExperts = 256;  ///< no layer has more

/// The gradient of every expert's weights: `dw[e][i][j] = dy[r][i] * x[r][j] + ...`, over the rows r with
/// start[e] <= r < start[e + 1], added up in single precision and rounded once. What is ragged now is how
/// much there is to add up: a step may not take the first rows of the next expert along. An expert without
/// rows gets zeros.
///
/// @param[out] dw       device, bf16 [experts][outs][ins], row-major; does not overlap the others
/// @param[in]  dy       device, bf16 [rows][outs], row-major, finite, sorted by expert
/// @param[in]  x        device, bf16 [rows][ins], row-major, finite, sorted by expert
/// @param[in]  start    device, int [experts + 1], ascending, from 0 to @p rows
/// @param      experts  1 to kMostExperts
/// @param      rows     >= 0
/// @param      outs     >= 0, a multiple of 8
/// @param      ins      >= 0, a multiple of 8
/// @pre all arrays begin at multiples of 16 bytes and have less than 2^31 elements
/// @return cudaSuccess, or the launch error; where outs or ins is 0, nothing is launched
/// @note 2 * rows * outs * ins flop.
cudaError_t expert_gradients(__nv_bfloat16* dw, const __nv_bfloat16* dy, const __nv_bfloat16* x,
                             const int* start, int experts, int rows, int outs, int ins);
