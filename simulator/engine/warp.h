// The state of a warp: registers as 32 lanes side by side, and the groups of lanes that
// stand at different places.
#pragma once

#include <array>
#include <memory>
#include <new>
#include <vector>

#include "simulator/decode/instr.h"

namespace sim::exec {

struct Block;
struct Worker;
struct FunctionCode;
struct CallDetail;

/// One activation of a function by some lanes of a warp: its registers, its parameters, and where to return.
struct Frame {
  const FunctionCode* function = nullptr;
  std::byte* registers = nullptr;  ///< 64-byte aligned; parameter areas follow the registers
  Frame* caller = nullptr;
  u32 return_pc = 0;
  u32 local_base = 0;  ///< bytes of local memory below this frame
  u32 depth = 0;       ///< callers below it
  const CallDetail* call = nullptr;
  Mask inside = 0;                     ///< lanes that have not returned from it
  std::array<u32, kLanes> on_stack{};  ///< Warp::on_stack when the lane came in; where Code::allocates
};

/// Memory that is aligned for vector registers.
struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(64)); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;
AlignedBytes aligned_bytes(std::size_t bytes);

/// A frame with memory of its own, reused when no lane is inside any more.
struct Activation {
  Frame frame;
  AlignedBytes memory;
  std::size_t bytes = 0;
};

/// Backward jumps of a warp's part that others wait for, before they get a slice for the first time.
inline constexpr s32 kFirstPatience = 4096;

enum class Wait : u8 { none, barrier, convergence, cluster, phase };

/// Lanes that stand at the same place.
struct Split {
  u32 pc = 0;  ///< index of a basic block
  Mask mask = 0;
  Frame* frame = nullptr;
  Wait wait = Wait::none;
  u8 barrier = 0;             ///< Wait::barrier: which of the 16
  Mask expected = 0;          ///< Wait::convergence: the lanes that have to arrive
  const Instr* at = nullptr;  ///< the instruction that waits
};

/// Lanes that have exited at the end of a basic block.
struct Left {
  Mask lanes = 0;
  u32 pc = 0;
};

struct Warp {
  std::byte* bank[3] = {};  ///< by Bank; bank[0] are the running split's registers
  Mask active = 0;          ///< lanes of the running split
  Mask live = 0;            ///< lanes that have not exited
  u32 pc = 0;               ///< basic block to run next
  bool tainted = false;     ///< the observer wants to see each instruction before it runs
  bool followed = false;    ///< the same, for as long as the block lives
  bool attention = false;   ///< something other than "run block pc next" is to be done
  Frame* frame = nullptr;
  Block* block = nullptr;
  Worker* worker = nullptr;
  std::vector<Split> waiting;  ///< the other splits, runnable or not
  std::vector<Left> left;      ///< who has exited where, for reports of those that wait
  u32 divergences = 0;         ///< times that its lanes diverged
  u32 index = 0;               ///< within the block
  s32 patience = 0;            ///< backward jumps before it does
  s32 slice = 0;         ///< basic blocks left of a granted slice; below 0: backward jumps since the last
  u64 instructions = 0;  ///< issued by this warp
  u64 clocks = 0;        ///< it takes by itself, roughly
  std::vector<std::unique_ptr<Activation>> activations;  ///< frames of functions called
  std::byte* local = nullptr;   ///< local memory of lane 0; the lanes follow at Program::local_stride
  Mask arrived_at_cluster = 0;  ///< lanes that have arrived at barrier.cluster and not waited ...
  Mask pending_at_cluster = 0;  ///< ... of them, those whose turn is not complete
  Mask expired = 0;             ///< lanes whose wait for an mbarrier's phase has lasted long enough
  Mask carry = 0;               ///< the CC register (add.cc, sub.cc, mad.cc)
  struct {
    u32 holding, arrived;
  } reduced{};  ///< outcome of the bar.red that is being finished

  bool traced = false;  ///< its steps go to Worker::trace

  const Instr* current = nullptr;  ///< the call of a built-in function, for its messages

  // What few kernels use, behind what every instruction does.
  std::array<u32, kLanes>
      on_stack{};  ///< bytes that alloca took from the top of local memory, by lane; where Code::allocates
  std::array<u32, kLanes> waits_at{};  ///< where the mbarrier that a lane waits for lies in shared memory

  /// Whether any of its lanes could run now.
  bool runnable() const {
    if (active != 0) return true;
    for (const Split& s : waiting)
      if (s.wait == Wait::none) return true;
    return false;
  }
};

/// Fills the local variables of a function that lanes enter with a pattern that is no sensible number. Only
/// where the stack is deep: else all of it is filled when the block starts.
void poison_locals(const Warp& w, const Frame& frame, Mask lanes);

/// The 32 lanes of an operand.
template <class T>
inline T* lanes(const Warp& w, OperandRef ref) {
  return reinterpret_cast<T*>(__builtin_assume_aligned(w.bank[ref & 3] + (ref >> 2), 64));
}
/// A predicate operand.
inline Mask& predicate(const Warp& w, OperandRef ref) {
  return *reinterpret_cast<Mask*>(w.bank[ref & 3] + (ref >> 2));
}

}  // namespace sim::exec
