// mbarrier: a 64-bit object in shared memory that counts arrivals and bytes.
#pragma once

#include <algorithm>

#include "simulator/instructions/lanes.h"

namespace sim::exec {

/// Ours: arrivals still missing in this phase, arrivals of a phase, bytes still expected, and the phase
/// in the top bit.
struct PhaseBarrier {
  u64 bits;
  static constexpr u64 kCount = (u64{1} << 20) - 1, kPhase = u64{1} << 63;
  u64 missing() const { return bits & kCount; }
  u64 expected() const { return bits >> 20 & kCount; }
  s64 transactions() const { return s64(bits << 1) >> 41; }
  bool phase() const { return bits & kPhase; }
  void set(u64 missing, u64 expected, s64 transactions, bool phase) {
    bits = (missing & kCount) | (expected & kCount) << 20 | (u64(transactions) & ((u64{1} << 23) - 1)) << 40 |
           (phase ? kPhase : 0);
  }
  /// Arrivals and bytes that came or are announced; the phase ends when nothing is missing.
  void advance(u64 arrivals, s64 bytes) {
    const u64 left = missing() - std::min(missing(), arrivals);
    const s64 tx = transactions() + bytes;
    if (left == 0 && tx == 0) {
      set(expected(), expected(), 0, !phase());
    } else {
      set(left, expected(), tx, phase());
    }
  }
};

}  // namespace sim::exec
