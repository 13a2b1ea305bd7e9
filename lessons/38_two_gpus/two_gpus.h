// The contract of the lesson: an all-reduce, the sum of an array that each GPU has its own of, on all of
// them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kMostRanks = 4;
constexpr int kChunks = 8;  ///< that rung 4 makes of an array

/// GPUs that reduce together, and whatever a rung keeps beside them. Rank r is device r; what stands at [r]
/// belongs to it.
struct Group {
  int ranks = 0;       ///< GPUs, 2 to kMostRanks
  std::int64_t n = 0;  ///< elements of each array, >= 0

  const float* in[kMostRanks] = {};      ///< [n] device r: what rank r has to add
  float* out[kMostRanks] = {};           ///< [n] device r: the sum over all ranks
  cudaStream_t stream[kMostRanks] = {};  ///< of device r, non-blocking

  float* scratch[kMostRanks] = {};                ///< device memory, as much as the rung needs
  cudaEvent_t mark[kMostRanks] = {};              ///< without timing, for rungs 1 to 4
  cudaStream_t copies[kMostRanks] = {};           ///< for rung 4: a second stream of device r
  cudaEvent_t arrived[kMostRanks][kChunks] = {};  ///< for rung 4
  unsigned* flags[kMostRanks] = {};               ///< for rung 5: device memory, zero at first
  unsigned turn = 0;                              ///< for rung 5: how many all-reduces there have been
};

/// Allocates what the rung needs, and lets the devices access each other's memory where it wants that. Not
/// timed.
///
/// @param[in,out] g  ranks, n, in, out and stream are set; the device chosen is 0, and may be another at the
/// end
/// @return cudaSuccess
/// @throws ladder::CudaError when something cannot be had; not where access to a peer has been enabled before
cudaError_t group_prepare(Group& g);

/// out[r][i] = in[0][i] + in[1][i] + ..., the same bits for all r. Work is put into the streams; the host
/// need not wait. Timed from the call until all of g.stream have done their work.
///
/// @param[in,out] g  as group_prepare(), or an earlier all_reduce(), left it
/// @return cudaSuccess, or the launch error
/// @note What g.stream[r] got before writes in[r]. What it gets afterwards reads out[r] and overwrites in[r],
///       and another all_reduce() may follow at once: whatever other devices still read has to be kept from
///       it.
/// @note The arrays are not changed. At least n * sizeof(float) * 2 * (ranks - 1) / ranks bytes cross each
///       device's link in either direction, unless it has a switch that adds.
cudaError_t all_reduce(Group& g);

/// Frees and destroys what group_prepare() made. Not timed; the streams are done.
///
/// @param[in,out] g  scratch, mark, copies, arrived and flags are null afterwards
/// @return cudaSuccess
/// @throws ladder::CudaError when something cannot be freed
cudaError_t group_release(Group& g);
