// mbarrier: a 64-bit object in shared memory that counts arrivals and bytes.
#pragma once

#include <algorithm>
#include <cstring>

#include "simulator/engine/cluster.h"

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

/// What eight bytes of shared memory hold that nobody has written.
inline constexpr u64 kUnwrittenShared = ~u64{0};

inline PhaseBarrier phase_barrier(const SharedPlace& at) {
  PhaseBarrier barrier{};
  std::memcpy(&barrier.bits, at.owner->shared.get() + at.offset, sizeof(barrier.bits));
  return barrier;
}

/// Phases of an mbarrier that have ended since its initialisation.
inline u64 phases_ended(const SharedPlace& at) {
  const auto known = at.owner->phases.find(u32(at.offset));
  return known == at.owner->phases.end() ? 0 : known->second.phases;
}

/// Lets @p act(barrier) change an mbarrier. Who waits for a phase in that block looks again when one ends.
/// @return what @p act does
template <class Act>
auto change_phase_barrier(const SharedPlace& at, Act act) {
  PhaseBarrier barrier = phase_barrier(at);
  const bool before = barrier.phase();
  const auto result = act(barrier);
  std::memcpy(at.owner->shared.get() + at.offset, &barrier.bits, sizeof(barrier.bits));
  if (barrier.phase() != before) at.owner->phase_ends(u32(at.offset));
  return result;
}

/// What a lane does now, for the records of an mbarrier.
PhaseEvent phase_event(const Warp& w, const Instr& in, int lane);

/// Bytes have come: they count against those that are expected.
inline void complete_bytes(const SharedPlace& at, u64 bytes, PhaseBytes by) {
  constexpr std::size_t kMostCopies = 8;  // of a phase, that a report tells of
  PhaseRecord& record = at.owner->phases[u32(at.offset)];
  record.came += bytes;
  by.bytes = bytes;
  if (record.copies.size() < kMostCopies) record.copies.push_back(std::move(by));
  change_phase_barrier(at, [&](PhaseBarrier& b) {
    b.advance(0, -s64(bytes));
    return true;
  });
}

}  // namespace sim::exec
