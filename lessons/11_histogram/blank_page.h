// The contract of the lesson's blank page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kStations = 128;  // a reading belongs to one of so many

/// The lowest and the highest reading of each station: `lowest[s]` is the minimum of all reading[i] with
/// `station[i] == s`, `highest[s]` their maximum.
///
/// @param[out] lowest   device, int [kStations]; INT_MAX for a station without readings
/// @param[out] highest  device, int [kStations]; INT_MIN for a station without readings
/// @param[in]  station  device, unsigned char [n], each below kStations; may start at any address
/// @param[in]  reading  device, int [n], any value
/// @param      n        readings, >= 0, below 2^31
/// @return cudaSuccess, or the first error of a launch
/// @note Reads 5 bytes a reading, writes 1 KiB.
cudaError_t extremes(int* lowest, int* highest, const unsigned char* station, const int* reading,
                     std::int64_t n);
