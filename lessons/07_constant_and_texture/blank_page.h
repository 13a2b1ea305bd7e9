// The contract of the blank page: a table that is read between its entries.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// A table, in whichever of these forms read_table() wants it. It is zeroed before make_table(), and what is
/// set in it afterwards is freed for you.
struct Table {
  float* values = nullptr;          ///< device memory of cudaMalloc
  cudaArray_t array = nullptr;      ///< of cudaMallocArray; a height of 0 makes it one-dimensional
  cudaTextureObject_t texture = 0;  ///< of cudaCreateTextureObject
  int entries = 0;
};

/// Puts a table where read_table() will look for it. Not timed.
///
/// @param[out] table    whatever members read_table() needs
/// @param[in]  values   device, float [entries], 0 to 1
/// @param      entries  1 to 65536
/// @return cudaSuccess, or the first error of a call
cudaError_t make_table(Table& table, const float* values, int entries);

/// Reads a table at any places, as a camera's response curve is applied to its pixels. Entry k stands at
/// place k + 0.5; between two entries the result is their linear mean, `(1 - a) * values[k] + a * values[k +
/// 1]` with a = place - (k + 0.5); before the first and behind the last one it is that entry.
///
/// @param[out] out    device, float [n]; does not overlap @p place
/// @param[in]  place  device, float [n], -1 to entries + 1
/// @param      table  as make_table() left it
/// @param      n      places, >= 0
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
/// @note Moves 8 * n bytes, 3 * n flop. Results within 1/128 of the true ones are good enough.
cudaError_t read_table(float* out, const float* place, const Table& table, std::int64_t n);
