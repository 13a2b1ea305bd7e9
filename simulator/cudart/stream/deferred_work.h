// Work that cannot be executed when it is submitted: it comes after a kernel that waits for the host.
//
// Work is executed when it is submitted. A kernel that spins on memory which only the host, or work of
// another stream, will write cannot come to its end then: it is suspended, the call that launched it
// returns, and everything that a stream or an event orders behind it is deferred. A thread of the runtime,
// and every call that waits, resumes the suspended kernels, a slice at a time under the runtime's lock.
// When only the calls that wait are left, nobody can write what the kernel waits for: it is then found
// endless like any other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/cudart/stream/stream.h"

namespace sim::cudart {

/// A kernel that was loaded at its first use while other kernels were suspended (CUDA's lazy loading).
struct LazyLoad {
  std::string kernel;
  std::vector<std::string> host_frames;  ///< of the launch
  std::vector<WorkHandle> suspended;     ///< the kernels that waited
};

/// A launch whose kernel waits for memory to be written from outside.
class SuspendedLaunch {
 public:
  virtual ~SuspendedLaunch() = default;
  /// Runs the kernel for a slice of time.
  /// @param weight  with which its instructions count towards the limit that tells an endless kernel
  /// @return whether it has ended, and its findings and times are noted
  virtual bool resume(std::uint64_t weight) = 0;
  /// Whether the last slice ended because the kernel only reads memory that nobody writes.
  virtual bool is_blocked() const = 0;
  /// A kernel that was loaded beside this one has run: if this one goes on now, it has waited for it.
  virtual void lazy_load_ran(const LazyLoad& load) = 0;
  /// The process ends, and the kernel has not.
  virtual void abandon() = 0;
};

/// Whether what is given to the stream now has to be deferred.
bool must_defer(CUstream_st& stream);
/// Whether @p work is there and not done.
bool is_pending(const WorkHandle& work);
/// Whether any deferred work is not done.
bool any_pending();

/// Executes an operation at once.
void run_now(CUstream_st& stream, const Operation& operation);
/// Keeps an operation until all is done that the stream puts before it, and @p also.
WorkHandle defer(CUstream_st& stream, Operation operation, const WorkHandle& also = nullptr);

/// Inside an operation: suspends a kernel. The operation ends here, but for what goes through run_behind().
void suspend(CUstream_st& stream, std::unique_ptr<SuspendedLaunch> kernel);
/// Inside an operation: whether it has suspended a kernel.
bool has_suspended();
/// Inside an operation that consists of several: runs the next of them, behind the suspended kernel
/// if there is one.
void run_behind(CUstream_st& stream, const Operation& operation);

/// The suspended kernels of a device that only the calling thread can write for: none where the program has
/// other threads.
std::vector<WorkHandle> blocked_on_caller(const Device& device);
/// Tells the kernels that were suspended beside it that @p load has run.
void lazy_load_ran(const LazyLoad& load);

/// Waits until nothing that a stream's next operation comes after is pending; until a piece of work is done;
/// until nothing of a device is pending.
void wait_for_deferred(CUstream_st& stream);
void wait_for_deferred(const WorkHandle& work);
void wait_for_deferred(const Device& device);

/// For calls that ask whether something is done: gives suspended kernels a slice.
void poll_deferred();

}  // namespace sim::cudart
