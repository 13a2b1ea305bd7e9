// The queue of deferred work: all access under the runtime's lock (Device::lock), re-entered by operations
// that call the runtime.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "simulator/cudart/stream/deferred_work.h"

namespace sim::cudart {

/// Operations of one stream that come after something which is not done.
struct DeferredWork {
  /// queued -> running -> done; running -> suspended -> running each time its kernel waits.
  enum class State {
    queued,     ///< what it comes after is not done
    running,    ///< its kernel or one of its operations is on the call stack
    suspended,  ///< its kernel waits for memory that the host or another stream will write
    done,
  };
  State state = State::queued;
  CUstream_st* stream;
  Device* device;
  std::vector<WorkHandle> predecessors;
  std::unique_ptr<SuspendedLaunch> kernel;  ///< set from suspend() to its end; the operations come behind it
  std::deque<Operation> operations;         ///< not begun
  bool stream_knows = false;                ///< begin_operation() was called for it
};

class DeferredQueue {
 public:
  /// Appends work of a stream, in the order of submission.
  WorkHandle add(CUstream_st& stream);
  /// What a stream's next operation comes after and is not done: its own work and, by the legacy default
  /// stream's rules, that of others.
  std::vector<WorkHandle> predecessors_of_next(CUstream_st& stream) const;

  /// Resumes each suspended kernel for a slice and runs what nothing precedes any longer.
  /// @param weight  as in SuspendedLaunch::resume
  /// @return whether an operation ran or a kernel ended
  bool advance(std::uint64_t weight);
  /// Whether nothing is left but kernels that wait: for each other, or for the host.
  bool only_waits() const;

  /// The work whose operation runs, or the one made by suspend() for an operation that was not deferred;
  /// null inside other operations and outside of all.
  WorkHandle current;

  const std::deque<WorkHandle>& all() const { return works_; }
  bool empty() const { return works_.empty(); }
  /// Whether a deferred operation is on the call stack: calls made by it do not wait for deferred work.
  bool runs_operation() const { return runs_operation_; }

 private:
  bool is_ready(DeferredWork& work, std::uint64_t weight) const;
  void run(const WorkHandle& work);

  std::deque<WorkHandle> works_;  ///< not done, except while advance() is on the call stack
  bool runs_operation_ = false;
  int advance_depth_ = 0;  ///< calls of advance() on the stack; only the outermost removes what is done
};

/// The process's queue; never destroyed.
DeferredQueue& deferred_queue();

/// Starts the runtime's thread that advances the queue while it has work and no call waits.
void start_polling();

/// Whether the program has threads that can write memory besides the calling one.
bool has_other_threads();

}  // namespace sim::cudart
