// What a thread knows of others: up to when their accesses happened before its own.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "simulator/instructions/lanes.h"

namespace sim::sanitizer {

using namespace exec;

/// Moments of a launch are numbered by one counter that steps at every synchronisation, so that "everything
/// that thread did up to moment t" is one number.
using Epoch = u32;

/// How many entries a set has, and how many all sets have together: a grid of many small blocks that wait for
/// each other would else hold gigabytes of them.
class EntryCount {
 public:
  EntryCount() = default;
  EntryCount(const EntryCount& other) { set(other.mine_); }
  EntryCount& operator=(const EntryCount&) = delete;
  ~EntryCount() { set(0); }
  void set(std::size_t n) {
    all_ += n - mine_;
    mine_ = n;
  }
  static std::size_t all() { return all_; }

 private:
  std::size_t mine_ = 0;
  inline static std::size_t all_ = 0;  ///< a launch that is watched runs on one thread
};

/// A set of (thread, moment) pairs in three sizes: all threads of a block, of a warp, or one. Immutable once
/// shared: threads that synchronise hand on pointers.
///
/// It is a vector clock that stores nothing for threads never heard of. Beyond a few thousand entries, or
/// where all of them together have too many, it stops being exact and takes everything before the present
/// moment as known, which may hide a race and never invents one.
class VectorClock {
 public:
  struct Entry {
    u32 who = 0;  ///< block, warp of the grid, or thread of the grid
    Epoch until = 0;
  };

  /// The moment up to which the accesses of a thread are known.
  Epoch of(u32 block, u32 warp, u32 thread) const;
  /// The same for all lanes of a mask.
  Epoch of_lanes(u32 block, u32 warp, Mask lanes) const;
  /// The same for every thread of a warp, and of all blocks.
  Epoch of_warp(u32 block, u32 warp) const { return of_lanes(block, warp, kAllLanes); }
  /// The least of @p until(block, moment) over all blocks of so many but @p own; 0 unless all of them are
  /// known.
  template <class F>
  Epoch least_of_others(u64 blocks, u32 own, F until) const {
    Epoch least = ~Epoch{0};
    u64 others = 0;
    for (const Entry& e : blocks_) {
      if (e.who == own) continue;
      least = std::min(least, until(e.who, e.until));
      ++others;
    }
    return others + 1 < blocks ? everybody_ : std::max(least, everybody_);
  }
  Epoch of_block(u32 block) const { return std::max(everybody_, in(blocks_, block)); }
  bool empty() const { return everybody_ == 0 && blocks_.empty() && warps_.empty() && threads_.empty(); }

  void add_block(u32 block, Epoch until) { add(blocks_, {block, until}); }
  void add_warp(u32 warp, Epoch until) { add(warps_, {warp, until}); }
  void add_thread(u32 thread, Epoch until) { add(threads_, {thread, until}); }
  void add(const VectorClock& other, Epoch now);

 private:
  using Entries = std::vector<Entry>;  ///< by `who`, ascending
  static Epoch in(const Entries& entries, u32 who) {
    const auto at = std::lower_bound(entries.begin(), entries.end(), who,
                                     [](const Entry& e, u32 value) { return e.who < value; });
    return at != entries.end() && at->who == who ? at->until : 0;
  }
  static void add(Entries& entries, Entry entry);
  static void merge(Entries& into, const Entries& from, Epoch everybody);

  Epoch everybody_ = 0;
  Entries blocks_, warps_, threads_;
  EntryCount count_;
};

using Known = std::shared_ptr<const VectorClock>;

/// Both together; one of the two where it is enough.
Known join(const Known& a, const Known& b, Epoch now);

}  // namespace sim::sanitizer
