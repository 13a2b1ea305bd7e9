// Who happens before whom within a launch: barriers of block and warp, fences, atomics, asynchronous copies.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/engine/block.h"
#include "simulator/sanitizer/race/shadow.h"

namespace sim::sanitizer {

/// Synchronisations among some lanes of a warp: what each lane knows of each other.
struct LaneOrder {
  Epoch known[kLanes][kLanes] = {};  ///< [of lane][about lane]
};

/// What each lane has fenced: what a strong write of it hands on.
struct Fences {
  Epoch wide[kLanes] = {}, narrow[kLanes] = {};  ///< by __threadfence, by __threadfence_block
  Epoch warp[kLanes] = {}, block[kLanes] = {};   ///< the lane's last barriers before its fence
  std::array<Known, kLanes> known;               ///< from others, at its fence
  bool fresh = false;                            ///< since the last barrier
};

/// Whether the running split's lanes, which have just arrived at a barrier of the block, are the first of its
/// round.
inline bool is_first_arrival(const Warp& w, int barrier) {
  return w.block->barriers[std::size_t(barrier)].arrived == u32(lane_count(w.active));
}

/// An asynchronous copy that is under way.
struct Copy {
  u32 offset, bytes;
  u32 lane, group;
};

/// What relaxed loads have seen of others: taken over at the lane's next fence.
struct RelaxedReads {
  std::array<Known, kLanes> wide, narrow;  ///< by a fence of the device, of the block
};

struct WarpOrder {
  Epoch synced = 0;  ///< last barrier of all its lanes
  std::unique_ptr<LaneOrder> lanes;
  std::unique_ptr<Fences> fences;
  std::unique_ptr<RelaxedReads> seen;
  Known fenced;  ///< by other lanes of it, before a barrier of the warp
  std::vector<Copy> copies;
  std::array<u32, kLanes> group{};  ///< of copies, now open
};

/// An asynchronous copy that an mbarrier waits for.
struct Arriving {
  Copy copy;
  u32 thread;  ///< of the grid
};

/// What the arrivals at a barrier of some threads, or at an mbarrier, bring along.
struct Arrivals {
  Known known, fenced;
  std::vector<Arriving> copies;   ///< mbarriers
  bool some_do_not_wait = false;  ///< barriers: somebody has arrived without waiting there
};

/// What a strong write left behind at its address.
struct Released {
  Known wide, narrow;
  u32 block = 0;  ///< whose threads may use `narrow`
};

struct BlockOrder {
  explicit BlockOrder(const Block& block) : shared(block.shared_bytes), warps(block.warps.size()) {}
  u32 index = 0;
  u32 first_thread = 0, threads = 0;  ///< of the grid's numbering; whole warps
  Epoch start = 0, barrier = 0;       ///< last barrier of all its threads
  Shadow shared;
  std::vector<WarpOrder> warps;
  std::vector<Known> known;  ///< by thread, where some know of others by other means than barriers; or empty
  Known common;              ///< known to all threads
  Known fenced;              ///< by some, before a barrier
  bool fresh_fences = false;
  u64 copies = 0;  ///< under way
  /// Reads by warp, by cell: kept where barriers of some warps make one moment for all readers too coarse.
  std::vector<std::array<Epoch, kLanes>> reads;
  u32 reads_shift = 2;
  std::array<Arrivals, std::tuple_size_v<decltype(Block::barriers)>> barrier_arrivals;
  std::unordered_map<u32, Arrivals> mbarriers;  ///< by offset
  std::unordered_map<u64, Released> released;   ///< by offset in shared memory

  u32 first_warp() const { return first_thread / kLanes; }
  const Known& known_of(u32 thread_of_block) const { return known.empty() ? common : known[thread_of_block]; }
};

/// One earlier access, or several reads that are not ordered among each other.
struct Earlier {
  u32 who;
  Epoch when;
  u32 at;                                              ///< instruction and flags
  u32 also = 0;                                        ///< another reader
  u32 set = 0;                                         ///< Readers::warp: lanes; Readers::block: warps
  const std::array<Epoch, kLanes>* by_warp = nullptr;  ///< Readers::block: when each did, where that is kept
  Readers readers() const { return Readers(at >> kReadersShift & 3); }
};

class HappensBefore {
 public:
  /// @param history  whether blocks wait for each other, so that their barriers must be remembered
  HappensBefore(u64 blocks, u32 threads_of_block, bool history)
      : blocks_(blocks), threads_((threads_of_block + kLanes - 1) / kLanes * kLanes) {
    if (history) barriers_.resize(blocks);
  }

  Epoch now() const { return now_; }
  /// Of a block, in the grid's numbering: whole warps.
  u32 threads_of_block() const { return threads_; }
  void starts(BlockOrder& b, u32 index);

  /// Whether the earlier access happened before what the lane does now.
  bool before(const BlockOrder& b, u32 warp, int lane, const Earlier& e, bool in_shared) const;

  void warp_barrier(BlockOrder& b, u32 warp, Mask lanes, Mask live);
  void block_barrier(BlockOrder& b);
  /// Some threads arrive at a barrier that is for fewer than all; those who wait there learn of them.
  void arrive(BlockOrder& b, Arrivals& m, u32 warp, Mask lanes, Mask live);
  void learn(BlockOrder& b, const Arrivals& m, u32 warp, Mask lanes);
  void fence(BlockOrder& b, u32 warp, Mask lanes, bool wide);
  /// A strong write of a lane leaves behind what the lane had fenced. @param joins an atomic update keeps
  /// what others left
  void publish(BlockOrder& b, u32 warp, int lane, Released& at, bool joins);
  bool has_fenced(const BlockOrder& b, u32 warp) const {
    return b.warps[warp].fences != nullptr || b.fenced != nullptr || b.warps[warp].fenced != nullptr;
  }
  void acquire(BlockOrder& b, u32 warp, int lane, const Released& from);
  /// A relaxed load sees what was left behind: the lane's next fence makes an acquisition of it.
  void sees(BlockOrder& b, u32 warp, int lane, const Released& from);
  /// All that happened before what the lane does now, fenced or not.
  Known behind(const BlockOrder& b, u32 warp, int lane) const;
  void tick() { ++now_; }

 private:
  void learn(BlockOrder& b, u32 thread, const Known& what);
  void take_over(BlockOrder& b, u32 warp, int lane, bool wide);
  void own(VectorClock& k, const BlockOrder& b, u32 warp, int lane, Epoch until) const;
  Known fenced_of(const WarpOrder& w, u32 warp_of_grid, u32 block) const;

  Epoch known_of_grid(const Known& known) const;

  u64 blocks_;
  u32 threads_;
  Epoch now_ = 1;
  std::vector<std::vector<Epoch>> barriers_;  ///< by block: its barriers so far
  mutable Known grid_known_;                  ///< what known_of_grid was asked last ...
  mutable Epoch grid_until_ = 0;              ///< ... and its answer
};

}  // namespace sim::sanitizer
