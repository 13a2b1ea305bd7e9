// The contract of the blank page: a layer whose weights are split over GPUs, so that each has a part of every
// sum.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "two_gpus.h"

/// A product y = x * w whose inner extent is split: rank r has some columns of x and the rows of w that
/// belong to them. Rank r is device r.
struct Layer {
  int ranks = 0;                               ///< GPUs, 2 to kMostRanks
  std::int64_t rows = 0, cols = 0, inner = 0;  ///< of y, and what each rank has of the sum; all >= 1

  const float* x[kMostRanks] = {};       ///< [rows][inner] device r
  const float* w[kMostRanks] = {};       ///< [inner][cols] device r
  float* partial[kMostRanks] = {};       ///< [rows][cols] device r: room for the rank's own product
  float* y[kMostRanks] = {};             ///< [rows][cols] device r: the sum of all ranks' products
  cudaStream_t stream[kMostRanks] = {};  ///< of device r, non-blocking

  float* scratch[kMostRanks] = {};  ///< for layer_prepare() to fill, as all below
  cudaStream_t side[kMostRanks] = {};
  cudaEvent_t made[kMostRanks][kChunks] = {};
  cudaEvent_t done[kMostRanks] = {};
};

/// Makes what layer_run() needs. Not timed.
///
/// @param[in,out] layer  ranks, extents, arrays and streams are set
/// @return cudaSuccess
/// @throws ladder::CudaError when something cannot be had
cudaError_t layer_prepare(Layer& layer);

/// y[r] = sum over q of x[q] * w[q], on every rank r, by launch_partial() of partial_product.h for the
/// products. While some rows of the product are exchanged and added, others are computed. Timed until all
/// streams have done their work.
///
/// @param[in,out] layer  as layer_prepare(), or an earlier run, left it
/// @return cudaSuccess, or the launch error
/// @note What layer.stream[r] got before writes x[r] and w[r]; what it gets afterwards overwrites them, and
///       partial[r], and reads y[r].
cudaError_t layer_run(Layer& layer);

/// Frees and destroys what layer_prepare() made, and nothing else. Not timed; the streams are done.
///
/// @param[in,out] layer  scratch, side, made and done are null afterwards
/// @return cudaSuccess
/// @throws ladder::CudaError when something cannot be freed
cudaError_t layer_release(Layer& layer);
