// Who happens before whom within a launch: barriers of block and warp, fences, atomics, asynchronous copies.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "simulator/engine/observer.h"
#include "simulator/sanitizer/per_block.h"
#include "simulator/sanitizer/race/product_reads.h"
#include "simulator/sanitizer/race/shadow.h"

namespace sim::sanitizer {

/// Synchronisations among some lanes of a warp: what each lane knows of each other.
struct LaneOrder {
  Epoch known[kLanes][kLanes] = {};  ///< [of lane][about lane]
};

/// Whom a fence is for: threads of the block, of the GPU, or of all GPUs and the host.
enum class Reach : u8 { block, device, system };

/// What each lane has fenced: what a strong write of it hands on.
struct Fences {
  Epoch wide[kLanes] = {}, narrow[kLanes] = {};  ///< by __threadfence, by __threadfence_block
  Epoch warp[kLanes] = {}, block[kLanes] = {};   ///< the lane's last barriers before its fence
  std::array<Known, kLanes> known;               ///< from others, at its fence
  bool fresh = false;                            ///< since the last barrier
  Mask of_device = 0;                            ///< lanes whose last wide one was for their own GPU only
};

/// Whether the running split's lanes, which have just arrived at a barrier of the block, are the first of its
/// round.
inline bool is_first_arrival(const Warp& w, int barrier) {
  return w.block->barriers[std::size_t(barrier)].arrived == u32(lane_count(w.active));
}

struct BlockOrder;

/// An asynchronous copy that is under way.
struct Copy {
  BlockOrder* owner;  ///< of the shared memory that it goes to
  u32 offset, bytes;
  u32 lane, group;
};

/// A bulk copy that reads shared memory until its group has been waited for.
struct BulkRead {
  u32 offset, bytes;
  u32 thread, group;  ///< of the grid; of the thread's bulk groups
  u32 at;             ///< instruction
  SourceLine line{};
  bool told = false;  ///< that it is overwritten
};

/// The same, as it writes global memory.
struct BulkWrite {
  u64 address;
  u32 bytes, lane, group, at;
};

/// A fence between the generic and the asynchronous proxy, by some lanes of a warp.
struct ProxyFence {
  u32 warp;
  Mask lanes;
  Epoch when, barrier, synced;  ///< the fence's, and the last barriers of block and warp before it
  Known known;                  ///< to one of the lanes
};

/// What relaxed loads have seen of others: taken over at the lane's next fence.
struct RelaxedReads {
  std::array<Known, kLanes> wide, narrow;  ///< by a fence of the device, of the block
};

/// What a warp has under way beside its instructions.
struct AsyncOrder {
  std::vector<Copy> copies;
  std::array<u32, kLanes> group{};  ///< of copies, now open
  std::vector<BulkWrite> bulk_writes;
  std::array<u32, kLanes> bulk_group{};  ///< of bulk copies, now open
  u32 product_group = 0;                 ///< of products of its warpgroup, now open
};

/// Small: every block makes its warps' anew.
struct WarpOrder {
  Epoch synced = 0;  ///< last barrier of all its lanes
  std::unique_ptr<LaneOrder> lanes;
  std::unique_ptr<Fences> fences;
  std::unique_ptr<RelaxedReads> seen;
  Known fenced;  ///< by other lanes of it, before a barrier of the warp
  std::unique_ptr<AsyncOrder> in_flight;

  /// For warps that copy or multiply asynchronously: the others have none.
  AsyncOrder& async() {
    if (in_flight == nullptr) in_flight = std::make_unique<AsyncOrder>();
    return *in_flight;
  }
};

/// An asynchronous copy that an mbarrier waits for.
struct Arriving {
  Copy copy;
  u32 thread;  ///< of the grid
  bool bulk;   ///< only the mbarrier tells when it is done
};

/// What the arrivals at a barrier of some threads, or at an mbarrier, bring along.
struct Arrivals {
  Known known, fenced;
  std::vector<Arriving> copies;   ///< mbarriers
  bool some_do_not_wait = false;  ///< barriers: somebody has arrived without waiting there
};

/// What a thread of the grid has done, and where.
struct ThreadEvent {
  u32 thread;
  Epoch when;
  u32 at;  ///< instruction
  SourceLine line;
};

/// A wait for an mbarrier that is over.
struct PassedWait {
  u64 phase;  ///< phases that had ended by then; it was for the last of them
  SourceLine line;
  Epoch when = 0;
  u32 at = 0;           ///< instruction
  bool parity = false;  ///< it names the phase by its parity: behind the next one it would wait for another
  bool kept = false;    ///< the next phase needs an arrival or a copy that comes behind this wait
};

/// The arrivals at an mbarrier. Who waits for a phase learns of those in it and before.
struct PhaseOrder {
  Arrivals ended, present;
  u64 phase = 0;  ///< that `present` is of
  std::optional<ThreadEvent> initialised;
  bool fenced = false;                        ///< by fence.mbarrier_init, behind which ...
  std::size_t turn = 0;                       ///< ... so many turns of the cluster's barrier make it visible
  std::vector<ThreadEvent> arrivals, before;  ///< in the present phase, and in the one before
  std::unordered_map<u32, PassedWait> waits;  ///< the last of each thread of the grid

  /// The arrivals in the phase behind @p so_many others.
  Arrivals& arrivals_in(u64 so_many, Epoch now) {
    if (so_many < phase) {  // initialised again
      const auto by = initialised;
      *this = {};
      initialised = by;
    }
    if (so_many > phase) {
      ended.known = join(ended.known, present.known, now);
      ended.fenced = join(ended.fenced, present.fenced, now);
      ended.copies.insert(ended.copies.end(), present.copies.begin(), present.copies.end());
      present = {};
      std::swap(before, arrivals);
      arrivals.clear();
    }
    phase = so_many;
    return present;
  }
};

/// What a strong write left behind at its address.
struct Released {
  Known wide, narrow;
  u32 block = 0;  ///< whose threads may use `narrow`
};

/// An access to the shared memory of another block.
struct RemoteAccess {
  Epoch when;
  u32 at;  ///< instruction
  Access kind;
  SourceLine line{};  ///< of mbarriers, whose instructions stand in functions of their own
};

/// What barrier.cluster brings along. Threads that come late to the wait learn of the turn that is complete.
struct ClusterOrder {
  explicit ClusterOrder(const Block&) {}
  Arrivals present, complete;
  Epoch first = 0;                             ///< arrival of the present turn; 0: none yet
  std::vector<std::pair<Epoch, Epoch>> turns;  ///< of the complete ones: the first arrival, and the last
};

struct BlockOrder {
  explicit BlockOrder(const Block& block) : shared(block.shared_bytes), warps(block.warps.size()) {}
  u32 index = 0;
  const exec::Cluster* cluster = nullptr;
  u32 first_thread = 0, threads = 0;  ///< of the grid's numbering; whole warps
  Epoch start = 0, barrier = 0;       ///< last barrier of all its threads
  Shadow shared;
  std::vector<WarpOrder> warps;
  std::vector<Known> known;  ///< by thread, where some know of others by other means than barriers; or empty
  Known common;              ///< known to all threads
  Known fenced;              ///< by some, before a barrier
  bool fresh_fences = false;
  u64 copies = 0;                ///< under way
  std::size_t turns_waited = 0;  ///< complete turns of the cluster's barrier that some thread has waited for
  /// Reads by warp, by cell: kept where barriers of some warps make one moment for all readers too coarse.
  std::vector<std::array<Epoch, kLanes>> reads;
  u32 reads_shift = 2;
  std::vector<Arrivals> barrier_arrivals;         ///< by barrier, as far as they have been used
  std::unordered_map<u32, PhaseOrder> mbarriers;  ///< by offset
  std::vector<BulkRead> bulk_reads;               ///< of its shared memory, under way
  ProductReads products;                          ///< that read its shared memory
  std::deque<ProxyFence> proxy_fences;            ///< the last ones, and ...
  Epoch forgotten_fences = 0;                     ///< ... when the last that is not among them was
  std::unordered_map<u64, Released> released;     ///< by offset in shared memory
  /// The last access of threads of other blocks to this one's shared memory, by thread of the grid.
  std::unordered_map<u32, RemoteAccess> remote;

  u32 first_warp() const { return first_thread / kLanes; }
  const Known& known_of(u32 thread_of_block) const { return known.empty() ? common : known[thread_of_block]; }
  Arrivals& arrivals_at(std::size_t number) {
    if (number >= barrier_arrivals.size()) barrier_arrivals.resize(number + 1);
    return barrier_arrivals[number];
  }
};

/// One earlier access, or several reads that are not ordered among each other.
struct Earlier {
  u32 who;
  Epoch when;
  u32 at;                                              ///< instruction and flags
  u32 also = 0;                                        ///< another reader
  u32 set = 0;                                         ///< Readers::warp: lanes; Readers::block: warps
  const std::array<Epoch, kLanes>* by_warp = nullptr;  ///< Readers::block: when each did, where that is kept
  bool in_cluster = false;                             ///< Readers::grid: all of one cluster
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
  void starts(BlockOrder& b, u32 index, const exec::Cluster* cluster);

  /// Whether the earlier access happened before what the lane does now.
  /// @param of_one_block  only threads of one block can have accessed it
  bool before(const BlockOrder& b, u32 warp, int lane, const Earlier& e, bool of_one_block) const;
  /// Whether the lane knows that the other block has started.
  bool knows_start(const BlockOrder& b, u32 warp, int lane, const BlockOrder& other) const;
  /// What some thread of a block knows at the end.
  Known known_to_some(const BlockOrder& b) const;

  void cluster_arrives(BlockOrder& b, u32 warp, Mask lanes, Mask live, bool releases);
  void cluster_barrier(const exec::Cluster& cluster);
  void cluster_waited(BlockOrder& b, u32 warp, Mask lanes);
  std::size_t turns_complete(const exec::Cluster& cluster) const { return turns_of(cluster).turns.size(); }

  void warp_barrier(BlockOrder& b, u32 warp, Mask lanes, Mask live);
  void block_barrier(BlockOrder& b);
  /// Some threads arrive at a barrier that is for fewer than all; those who wait there learn of them.
  void arrive(BlockOrder& b, Arrivals& m, u32 warp, Mask lanes, Mask live);
  void learn(BlockOrder& b, const Arrivals& m, u32 warp, Mask lanes);
  void fence(BlockOrder& b, u32 warp, Mask lanes, Reach reach);
  /// Whether the lane has fenced since the block's last barrier, but for threads of its own GPU only.
  bool has_fenced_for_device(const BlockOrder& b, u32 warp, int lane) const;
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

  Epoch known_of_grid(const BlockOrder& b, const Known& known) const;
  /// The least moment up to which the clock knows the warps of one block, or of all blocks of a cluster.
  bool known_of_cluster(const BlockOrder& b, const VectorClock& known, Epoch when) const;
  /// Up to when a warp is known: one that is known to have arrived at the cluster's barrier is known up to
  /// the last arrival. What it reads between its arrival and its wait may hide a race, and none is invented.
  Epoch of_warp(const BlockOrder& b, const VectorClock& known, u32 block, u32 warp) const;
  ClusterOrder& turns_of(const exec::Cluster& cluster) const { return clusters_.of(cluster.block(0)); }

  u64 blocks_;
  u32 threads_;
  Epoch now_ = 1;
  std::vector<std::vector<Epoch>> barriers_;  ///< by block: its barriers so far
  mutable PerBlock<ClusterOrder> clusters_;   ///< by the first block of each
  mutable Known grid_known_;                  ///< what known_of_grid was asked last ...
  mutable u32 grid_block_ = 0;                ///< ... for which block ...
  mutable Epoch grid_until_ = 0;              ///< ... and its answer
};

}  // namespace sim::sanitizer
