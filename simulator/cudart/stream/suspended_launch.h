// Kernels that wait for the host, and the work held up behind them.
//
// Work is executed when it is submitted. A kernel that spins on memory which only the host, or work of
// another stream, will write cannot come to its end then: it is parked, the call that launched it returns,
// and everything that a stream or an event orders behind it is held. A thread of the runtime, and every call
// that waits, lets the parked kernels go on, a slice at a time under the runtime's lock. When only the calls
// that wait are left, the kernel has somebody to wait for no more: it is then found endless like any other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/cudart/stream/stream.h"

namespace sim::cudart {

/// A kernel that had to be loaded, since it was used for the first time, while another one waited.
struct LateLoad {
  std::string kernel;
  std::vector<std::string> host_frames;  ///< of the launch
  std::vector<HeldWork> beside;          ///< the kernels that waited
};

/// A kernel that waits for memory to be written from outside.
class Parked {
 public:
  virtual ~Parked() = default;
  /// Lets it go on for a while.
  /// @param counts  whether it may be found endless by what it does meanwhile
  /// @return whether it has ended, and all is noted that is to be known of it
  virtual bool go_on(bool counts) = 0;
  /// Whether the last time ended because it only looks at memory that nobody writes.
  virtual bool waits() const = 0;
  /// What was loaded late has run. If this one goes on now, it has waited for it.
  virtual void has_run(const LateLoad& late) = 0;
  /// The process ends, and the kernel has not.
  virtual void abandon() = 0;
};

/// Whether what is given to the stream now has to be held.
bool is_held_up(CUstream_st& stream);
/// Whether the piece of work is there and was not done.
bool is_held(const HeldWork& work);
/// Whether any work is.
bool anything_held();

/// Runs an operation at once.
void run_now(CUstream_st& stream, const Operation& operation);
/// Keeps an operation until all is done that the stream puts before it, and @p also.
HeldWork hold(CUstream_st& stream, Operation operation, const HeldWork& also = nullptr);

/// Inside an operation: puts a kernel aside. The operation ends here, but for what goes through then().
void park(CUstream_st& stream, std::unique_ptr<Parked> kernel);
/// Inside an operation: whether it has.
bool has_parked();
/// Inside an operation that consists of several: runs the next of them, behind a parked kernel if there is
/// one.
void then(CUstream_st& stream, const Operation& operation);

/// The kernels of a device that wait and that nobody but the calling thread will write for: none where the
/// program has other threads.
std::vector<HeldWork> waiting_for_caller(const Device& device);
/// Tells them that what was loaded beside them has run.
void has_run(const LateLoad& late);

/// Waits until nothing that a stream's next operation comes after is held; until a piece of work is done;
/// until nothing of a device is held.
void wait_for_held(CUstream_st& stream);
void wait_for_held(const HeldWork& work);
void wait_for_held(const Device& device);

/// For calls that ask whether something is done: gives parked kernels a turn.
void nudge_held();

}  // namespace sim::cudart
