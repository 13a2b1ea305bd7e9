// A thread block: a state machine that runs until its warps wait, and can be suspended at any time.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/engine/lazy_bytes.h"
#include "simulator/engine/warp.h"
#include "simulator/engine/worker.h"

namespace sim::exec {

struct Barrier {
  u32 arrived = 0;   ///< threads
  u32 expected = 0;  ///< threads; 0: every live thread of the block
  u32 holding = 0;   ///< bar.red: threads whose predicate holds
};

/// Warps that have come to an instruction which their warpgroup executes together.
struct Warpgroup {
  const Instr* at = nullptr;
  u32 arrived = 0;
};
constexpr int kFirstWarpgroup = 64;  ///< Split::barrier of warps that wait for the first warpgroup's others

enum class WarpState : u8 { ready, waiting, done };

class Cluster;

/// Who has done something to an mbarrier, and where.
struct PhaseEvent {
  u64 block = 0;  ///< of the grid
  u32 warp = 0;   ///< of the block
  u8 lane = 0;
  const Instr* at = nullptr;    ///< the instruction, and ...
  const Instr* call = nullptr;  ///< ... the call of the function that it stands in; null: the kernel itself
};

/// Bytes that a copy has brought.
struct PhaseBytes {
  PhaseEvent by;
  u64 bytes = 0;
  std::vector<u32> box{};  ///< elements along each axis, of a tensor map's copy
  u32 element_bytes = 0;
};

/// What an mbarrier's 64 bits do not say, for reports.
struct PhaseRecord {
  u64 expected = 0, came = 0;                    ///< bytes, in the present phase
  u64 phases = 0;                                ///< that have ended since its initialisation
  bool brought = false;                          ///< the last one bytes, and nobody has waited for it yet
  std::vector<PhaseEvent> arrivals{}, before{};  ///< in the present phase, and in the one before
  std::vector<PhaseBytes> copies{};              ///< in the present phase
};

struct Block {
  explicit Block(Worker& worker);

  /// Makes this the block of the grid with the given linear index.
  void start(u64 index);

  /// `waits`: nobody can run, and somebody waits for other blocks of the cluster.
  enum class Progress { finished, suspended, waits };
  /// Instructions that a warp issues before the next one runs. Long enough to keep registers in the
  /// cache, short enough that a warp that spins issues little before the one it waits for runs.
  static constexpr s64 kSlice = 4096;
  /// Runs until all threads have exited, or until the warps have used up their slices.
  /// @throws Fault
  Progress run(s64 slice = kSlice);

  /// A split of @p w arrives at a barrier; its lanes wait until the barrier completes.
  void arrive(Warp& w, const Instr& in, int barrier, u32 expected, bool waits, Mask holding);
  /// Lanes have exited: barriers that wait for all live threads may be complete.
  void left(Mask lanes);

  /// "thread (0,1,0)" of a lane.
  Index3 thread_of(const Warp& w, int lane) const;

  Worker* worker;
  Index3 id{};
  u64 index = 0;
  /// How good an example of the grid's blocks it is, the lower the better: 0 is the one in the middle, which
  /// has no borders of a problem in it; after that the first ones.
  u64 example_rank = 0;
  Cluster* cluster = nullptr;
  u32 rank = 0;        ///< in the cluster
  bool ended = false;  ///< all threads have exited
  u32 threads = 0, live_threads = 0;
  u32 shared_bytes = 0;
  std::vector<u32>
      atomic_warps;  ///< of the grid's middle block: which warps updated each word of shared memory
  AlignedBytes shared, constants, registers;
  std::unique_ptr<std::byte[], Release> local;
  std::vector<Warp> warps;
  std::vector<WarpState> states;
  std::vector<u32> order;  ///< in which warps run, slice by slice
  std::array<Barrier, 16> barriers{};
  u32 barriers_with_arrivals = 0;  ///< a bit for each
  u32 brought_phases = 0;          ///< see PhaseRecord::brought
  std::array<Warpgroup, 8> warpgroups{};
  std::vector<Frame> entry_frames;
  std::unordered_map<u32, PhaseRecord> phases;  ///< of mbarriers, by their offset in shared memory
  u64 instructions = 0;
  u64 in_vain = 0;  ///< counts beside them towards the limit: issued while everybody waited for somebody else
  u64 random = 0;   ///< state of the schedule's shuffle

  /// A phase of an mbarrier has ended: those who wait for one look again.
  void phase_ends(u32 offset);
  /// Somebody has waited for the last phase of an mbarrier.
  void phase_waited_for(u32 offset);
  /// Those who wait for phases go on without: their waits have lasted long enough. @return whether there are
  /// any
  bool time_out();

  /// Whether some of its threads wait for a phase of an mbarrier.
  bool waits_for_phase() const { return waits_for(Wait::phase); }

  /// Ends the kernel: nobody can run any more.
  [[noreturn]] void deadlock();

 private:
  void complete(int barrier);
  void finish_reduction(const Warp& w, const Split& s, const Barrier& barrier) const;
  bool waits_for(Wait what) const;
  bool wake_waiters_for_phases(bool expired);
  [[noreturn]] void runaway();
};

}  // namespace sim::exec
