// The order in which blocks start, by a seed: a permutation that takes no memory, however
// many blocks there are.
#pragma once

#include <algorithm>
#include <bit>

#include "simulator/instructions/lanes.h"

namespace sim::exec {

/// Shuffles blocks that can be on the GPU together; of those that cannot, the lower ones come first, as on a
/// GPU: programs such as a single-pass scan wait for their predecessors and rely on it. A Feistel network
/// over the next even number of bits; numbers that fall outside are sent through again. See J. Black and P.
/// Rogaway, "Ciphers with Arbitrary Finite Domains".
class Shuffle {
 public:
  /// @param n       blocks
  /// @param window  blocks that are on the GPU together
  /// @param seed    0: the natural order
  Shuffle(u64 n, u64 window, u64 seed)
      : n_(n), window_(std::min(n, window)), seed_(seed), half_((u32(std::bit_width(window_)) + 1) / 2) {}

  /// Which block comes as number @p i.
  u64 operator()(u64 i) const {
    if (seed_ == 0) return i;
    const u64 base = i / window_ * window_, size = std::min(window_, n_ - base);
    u64 at = i - base;
    do at = rounds(at, seed_ + base);
    while (at >= size);
    return base + at;
  }

 private:
  u64 rounds(u64 i, u64 key) const {
    const u64 mask = (u64{1} << half_) - 1;
    u64 left = i >> half_, right = i & mask;
    for (u64 round = 1; round <= 4; ++round) {
      u64 mixed = (right + key + round * 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
      mixed = (mixed ^ mixed >> 31) * 0x94D049BB133111EBull;
      const u64 next = left ^ ((mixed ^ mixed >> 29) & mask);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }

  u64 n_, window_, seed_;
  u32 half_;
};

}  // namespace sim::exec
