// What Watch keeps per block and per allocation.
#pragma once

#include "simulator/sanitizer/watch.h"

namespace sim::sanitizer {

struct Watch::GlobalShadow {
  explicit GlobalShadow(u64 bytes) : shadow(bytes) {}
  Shadow shadow;
  u64 base = 0, size = 0;
  WrittenBytes* written = nullptr;  ///< null: all is
};

struct Watch::BlockState {
  BlockState(u32 shared_bytes, std::size_t warps) : order(shared_bytes, warps) {}
  /// @param when  the moment that counts as that of its stores; 0: the one already noted
  void done(const Copy& copy, u32 thread, Epoch when = 0);

  BlockOrder order;
  Mask started_last = kAllLanes;  ///< lanes of the last warp that exist
  /// By byte of a thread's local memory, warp after warp: the lanes that have written it. Threads mostly act
  /// on the same byte of their own, which is one word here.
  std::unique_ptr<Mask[], exec::Release> local;
  /// By byte: where the doubtful value stored there came from. Of local memory the first byte of each value.
  std::unordered_map<u64, u32> local_doubts, shared_doubts;
  u32 exited = 0;                  ///< threads
  u32 exited_thread = 0;           ///< one of them
  u32 exited_at = 0;               ///< the instruction with which that one left
  const Instr* first_at[16] = {};  ///< instruction of the first arrival at each barrier
  u32 first_expected[16] = {}, first_thread[16] = {};
  bool arrived_only[16] = {};  ///< somebody announced himself at the barrier without waiting there

  std::unordered_map<u64, Known> behind;  ///< strong writes in shared memory: what came before them
  std::vector<Known> heard;  ///< by thread: what lies behind the writes that ended its waiting; or empty
  /// All know what one of some threads has heard. @param threads  of the block, from @p first on
  void share_heard(u32 first, u32 threads);

  /// Who of a warp is together.
  struct Company {
    u32 partings = 0;     ///< Warp::partings when all of them last met
    Mask here = 0;        ///< __activemask()'s last answer
    bool parted = false;  ///< lanes had parted before it
  };
  std::vector<Company> company;  ///< by warp
};

/// The lanes of a warp that act.
struct Watch::Actor {
  Warp& w;
  BlockState& block;
  WarpOrder& order;
  u32 warp;          ///< of the block
  u32 first_thread;  ///< of the grid, of lane 0
};

/// What they act on.
struct Watch::Place {
  const Seen& seen;
  u32 at;  ///< instruction
  const MemorySemantics& semantics;
  Shadow& shadow;
  bool in_shared;
  u64 base;  ///< address of the shadow's first byte
};

/// "(1,0,0)"
std::string text(const Index3& i);
/// What a finding accesses, for a sentence.
std::string named(const Finding& f);

/// "best[3]", for a byte of the local memory of the running threads; empty where no variable is known there.
std::string local_name(const Plan& plan, const Warp& w, u64 offset);

/// Whether it is a byte of a number or of an array of them: what nobody wrote there is no padding.
bool is_plain_local(const Plan& plan, const Warp& w, u64 offset);

}  // namespace sim::sanitizer
