// Filters in constant memory, as many at a time as it holds.
#pragma once

#include <algorithm>

#include "conv2d.h"

constexpr int kConstantFloats = 16384;  // 64 KiB: all the constant memory that a program has

__constant__ float constant_filter[kConstantFloats];

/// How many whole filters constant memory holds: at most all of them; 0 where one is too large.
inline int filters_at_once(const ConvShape& shape) {
  const int taps = shape.channels * shape.side * shape.side;
  return std::min(shape.filters, kConstantFloats / std::max(taps, 1));
}
