// The lesson's two operators as types, so that one kernel template serves both.
#pragma once

#include <math_constants.h>

struct Sum {
  static __device__ float identity() { return 0.0f; }  ///< of no elements; combining with it changes nothing
  static __device__ float combine(float a, float b) { return a + b; }
  /// `*target = combine(*target, value)` in one step that no other thread can come between.
  static __device__ void combine_atomically(float* target, float value) { atomicAdd(target, value); }
};

struct Max {
  static __device__ float identity() { return -CUDART_INF_F; }
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
  /// There is no atomicMax for floats. Their bits, read as integers, are in the same order among
  /// positive floats and in the opposite order among negative ones, and a set sign bit makes an
  /// int negative and an unsigned large: so these two steps agree however they are mixed.
  static __device__ void combine_atomically(float* target, float value) {
    if (__float_as_int(value) >= 0)
      atomicMax(reinterpret_cast<int*>(target), __float_as_int(value));
    else
      atomicMin(reinterpret_cast<unsigned*>(target), __float_as_uint(value));
  }
};
