// The contract of the blank page: what a layer's weights are corrected by in training.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

/// The gradient of a layer's weights: `dw[i][j] = dy[0][i] * x[0][j] + dy[1][i] * x[1][j] + ...`, over all
/// tokens, added up in single precision and rounded once. A product of the transpose of one matrix with
/// another: neighbours in memory are no longer those that are multiplied and added up.
///
/// @param[out] dw      device, bf16 [outs][ins], row-major; does not overlap the others
/// @param[in]  dy      device, bf16 [tokens][outs], row-major, finite
/// @param[in]  x       device, bf16 [tokens][ins], row-major, finite
/// @param      tokens  rows of @p dy and @p x, >= 0; where it is 0, every dw[i][j] becomes 0
/// @param      outs    >= 0, a multiple of 8
/// @param      ins     >= 0, a multiple of 8
/// @pre all three begin at multiples of 16 bytes
/// @return cudaSuccess, or the launch error; where outs or ins is 0, nothing is launched
/// @note 2 * tokens * outs * ins flop; needs (tokens * (outs + ins) + outs * ins) * sizeof(bf16) bytes.
cudaError_t weight_gradient(__nv_bfloat16* dw, const __nv_bfloat16* dy, const __nv_bfloat16* x, int tokens,
                            int outs, int ins);
