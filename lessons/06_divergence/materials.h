// How the two materials cool. Given.
#pragma once

#include "divergence.h"

/// @return a copper cell's temperature after @p steps steps
__device__ inline float cool_copper(float temperature, int steps) {
#pragma unroll 1  // a loop as written: its counters are easier to read
  for (int step = 0; step < steps; ++step) temperature += kCopperRate * (kAmbient - temperature);
  return temperature;
}

/// @return an iron cell's temperature after @p steps steps
__device__ inline float cool_iron(float temperature, int steps) {
#pragma unroll 1
  for (int step = 0; step < steps; ++step)
    temperature += (kIronRate + kIronSlope * temperature) * (kAmbient - temperature);
  return temperature;
}
