// Values that nobody wrote: of shared memory since the block started, of local memory and registers since the
// thread did, of global memory ever.
//
// Shadow memory has a bit for each byte, and a value that is loaded from unwritten bytes is followed through
// registers and on-chip memory until it matters, as MemorySanitizer does (E. Stepanov, K. Serebryany,
// "MemorySanitizer: Fast Detector of C Memory Use in C++", CGO 2015); see taint.h.
#pragma once

#include <unordered_map>

#include "simulator/engine/lazy_bytes.h"
#include "simulator/sanitizer/launch_context.h"
#include "simulator/sanitizer/uninit/taint.h"

namespace sim::sanitizer {

/// Finds uses of such values. Keeps the tainted registers, and of each block which bytes of local memory are
/// written and which of shared and local memory hold tainted values. What is written of shared memory stands
/// in the races' shadow, of global memory in Written.
class UninitDetector {
 public:
  explicit UninitDetector(LaunchContext& context)
      : context_(context), taint_(context.analysis, context.collector) {}

  void block_starts(Block& block);
  /// Before each instruction of a warp that holds tainted values.
  void step(Warp& w, const Instr& in) { taint_.step(w, in); }

  /// Whether the block's shared memory holds values that were tainted when they were stored.
  bool has_tainted_shared(const Block& block) { return !blocks_.of(block).shared_taint.empty(); }
  void shared_read(const WarpAccess& a);
  /// A write, or an atomic. What was tainted stays so in shared memory.
  void shared_stored(Warp& w, const ObservedAccess& seen);
  /// An asynchronous copy writes shared memory.
  void shared_copied(const Block& block, u32 offset, u32 bytes);
  /// @param outside  lanes that miss the variable they mean
  void local(Warp& w, const ObservedAccess& seen, Mask outside);
  void global(Warp& w, const ObservedAccess& seen, u32 at);
  /// A store elsewhere.
  void stored(Warp& w, const ObservedAccess& seen) { taint_.stored(w, seen.in, seen.space); }

  /// Lanes of an instruction get a value that means nothing. @param make  makes the finding for the case that
  /// it is used
  template <class Make>
  void undefined_result(Warp& w, const Instr& in, Mask lanes, Make make) {
    taint_.loaded(w, in, 0, lanes, false, make);
  }

  /// Lanes whose asynchronous copy, now under way, brings what nobody has written. To be cleared before each
  /// access.
  Mask unwritten_copy() const { return unwritten_copy_; }
  void clear_unwritten_copy() { unwritten_copy_ = 0; }

 private:
  struct BlockState {
    explicit BlockState(const Block&) {}
    /// By byte of a thread's local memory, warp after warp: the lanes that have written it. Threads mostly
    /// act on the same byte of their own, which is one word here.
    std::unique_ptr<Mask[], exec::Release> local;
    /// By byte: the origin of the tainted value stored there. Of local memory the first byte of each value.
    std::unordered_map<u64, u32> local_taint, shared_taint;
  };

  /// The place of a lane's bytes among the local memories of the block.
  u64 local_place(const Warp& w, const ObservedAccess& seen, int lane) const;
  void local_read(Warp& w, const ObservedAccess& seen, Mask outside);
  void local_stored(Warp& w, const ObservedAccess& seen);
  Mask* local_masks(const Warp& w, const ObservedAccess& seen, s64 offset);
  /// The lanes, of @p lanes, that read what was tainted when it was stored.
  Mask reload(Warp& w, const ObservedAccess& seen, u32 element, u32 bytes, Mask lanes);
  /// Taints what an access loads, element by element.
  /// @param unwritten(from, bytes)  the lanes for which nobody wrote these bytes of theirs
  template <class Unwritten>
  void taint_loaded(Warp& w, const ObservedAccess& seen, Unwritten unwritten);
  /// Whether an asynchronous copy brought a byte of shared memory from where nobody had written.
  bool is_unwritten_copy(const Block& block, u64 offset);
  Finding finding(const Warp& w, const ObservedAccess& seen, int lane, u64 offset);

  LaunchContext& context_;
  Taint taint_;
  PerBlock<BlockState> blocks_;
  Mask unwritten_copy_ = 0;
};

}  // namespace sim::sanitizer
