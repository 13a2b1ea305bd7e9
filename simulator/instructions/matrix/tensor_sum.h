// Sums of products as the tensor cores of an H100 and an H200 form them.
//
// The products of all steps and c are added at once. They are aligned to the greatest exponent among them,
// that of a product being the sum of its factors' exponents: its significand then is below 4. What lies below
// a fixed number of bits is cut off; the rest is added exactly, and the sum is rounded once: towards zero to
// f32, to the nearest to f16.
//
// Found by comparing with an H200: tests/simulator/wgmma, and tests/simulator/truth for mma.sync.
#pragma once

#include <algorithm>

#include "simulator/instructions/lanes.h"

namespace sim::exec {

inline constexpr int kDeepest = 64;  ///< steps of one sum
inline constexpr int kWidest = 256;  ///< columns of a product
inline constexpr int kRowsOfWarp = 16;

/// Exponents of zeros, of infinities and NaNs, and of what a sparse factor does not have: nothing comes of
/// it, even where the other factor is special.
inline constexpr s32 kNothing = -4000, kSpecial = 8000, kAbsent = -7000;

/// The rows of the first factor that one warp multiplies: lane i's are i / 4 and, in the second half, 8 more.
template <class T>
struct WarpRows {
  alignas(64) T value[2][kDeepest][kLanes];
  alignas(64) s32 exponent[2][kDeepest][kLanes];
  void set(int row, int step, T v, s32 e) {
    for (int i = 4 * (row % 8); i < 4 * (row % 8) + 4; ++i)
      value[row / 8][step][i] = v, exponent[row / 8][step][i] = e;
  }
  /// Leaves nothing there in the first steps.
  void clear(int steps) {
    for (int half = 0; half < 2; ++half)
      for (int k = 0; k < steps; ++k)
        std::fill_n(value[half][k], kLanes, T(0)), std::fill_n(exponent[half][k], kLanes, kAbsent);
  }
};

/// Columns of the second factor: register r of the lanes of a quad has columns 8 * (r / 4) + 2 * member + r
/// % 2.
template <class T>
struct QuadColumns {
  alignas(64) T value[kWidest / 4][kDeepest][4];
  alignas(64) s32 exponent[kWidest / 4][kDeepest][4];
  void set(int column, int step, T v, s32 e) {
    const int at = column / 8 * 2 + column % 2, member = column % 8 / 2;
    value[at][step][member] = v, exponent[at][step][member] = e;
  }
};

/// How a type's products are added.
struct SumRule {
  int steps = 16;     ///< of one sum; of a sparse factor half of them are absent
  int fraction = 25;  ///< bits behind the point of a significand that are kept
  s32 least = -126;   ///< exponent of subnormal c
};

/// Exact sums of one register of the lanes, rounded by nobody yet; infinities and NaNs as they come out.
/// @param half    of the rows
/// @param column  pair of columns: r / 4 * 2 + r % 2
/// @param c       null: not added
void add_products(const SumRule& rule, const WarpRows<f32>& a, int half, const QuadColumns<f32>& b,
                  int column, const f32* c, f64* sums);

/// Sums of whole numbers, which wrap around. @param bits  a and b are words of bits: those that both have
/// count
void add_products(int steps, bool bits, const WarpRows<s32>& a, int half, const QuadColumns<s32>& b,
                  int column, s64* sums);

}  // namespace sim::exec
