// How far apart the elements of a tensor lie. Given.
#pragma once

#include "concat_and_permute.h"

constexpr int kAxes = 4;

/// One number for each axis.
struct Four {
  unsigned at[kAxes];
};

inline Four extents_of(Shape shape) {
  Four four;
  for (int k = 0; k < kAxes; ++k) four.at[k] = static_cast<unsigned>(shape.extent[k]);
  return four;
}

/// @return elements from one index to the next along each axis; 1 for the last one
inline Four strides_of(Four extents) {
  Four strides;
  unsigned below = 1;
  for (int k = kAxes - 1; k >= 0; --k) {
    strides.at[k] = below;
    below *= extents.at[k];
  }
  return strides;
}

/// @return value order.axis[k] at place k
inline Four permuted(Four values, Order order) {
  Four result;
  for (int k = 0; k < kAxes; ++k) result.at[k] = values.at[order.axis[k]];
  return result;
}

inline unsigned elements_of(Four extents) {
  return extents.at[0] * extents.at[1] * extents.at[2] * extents.at[3];
}
