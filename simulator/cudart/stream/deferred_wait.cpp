// Who advances deferred work: calls that wait for it, a thread of the runtime, and the end of the process.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/settings.h"
#include "simulator/cudart/stream/deferred_queue.h"
#include "simulator/engine/grid/pool.h"

namespace sim::cudart {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kPause(20);  ///< between two slices of kernels that wait
/// For how long a kernel is not called endless where a thread of the program may still write
/// what it waits for.
constexpr std::chrono::seconds kEndless(20);
/// Of instructions while everybody waits for somebody else: an end in a second or two, where the host would
/// wait for minutes. A loop that gives up after so many turns still does.
constexpr std::uint64_t kWeightInVain = 100;
/// In another order than the usual one, for how long suspended kernels stay behind what the host goes on to
/// submit: what they still read may then be overwritten.
constexpr std::chrono::milliseconds kStayBehind(20);
constexpr std::chrono::milliseconds kAtExit(50);  ///< that a kernel has left when the program ends

/// Guarded by the runtime's lock, as the queue is.
struct Waits {
  int calls = 0;         ///< that wait: they advance the queue, and the thread need not
  bool polling = false;  ///< the runtime's thread runs
  bool exiting = false;  ///< the process ends: no thread is started any more
};

Waits& waits() {
  static Waits& only = *new Waits;
  return only;
}

template <class Done>
void wait_until(Done done) {
  if (done() || deferred_queue().runs_operation())
    return;  // what a stream calls must not wait for the stream
  ++waits().calls;
  const bool others = has_other_threads();
  for (const auto began = SteadyClock::now(); !done();) {
    const bool counts = !others || SteadyClock::now() - began > kEndless;
    const std::uint64_t weight = !counts ? 0 : deferred_queue().only_waits() ? kWeightInVain : 1;
    if (!deferred_queue().advance(weight) && others) device().lock.rest(kPause);
  }
  --waits().calls;
}

/// The life of the runtime's thread: as long as any work is deferred.
void poll(ApiLock& lock, bool stays_behind) {
  if (stays_behind) std::this_thread::sleep_for(kStayBehind);
  for (;;) {
    bool moved = false;
    {
      std::lock_guard hold(lock);
      if (waits().exiting || !any_pending()) {
        waits().polling = false;
        return;
      }
      moved = waits().calls == 0 && deferred_queue().advance(0);
    }
    if (!moved) std::this_thread::sleep_for(kPause);
  }
}

/// A process that ends takes its kernels with it.
void abandon_kernels() {
  std::lock_guard hold(device().lock);
  DeferredQueue& queue = deferred_queue();
  for (const auto until = SteadyClock::now() + kAtExit; !queue.empty() && SteadyClock::now() < until;)
    queue.advance(0);
  waits().exiting = true;
  for (const WorkHandle& work : queue.all())
    if (work->kernel != nullptr) work->kernel->abandon();
}

}  // namespace

bool has_other_threads() {
  std::error_code failed;
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task", failed);
  if (failed) return true;
  const auto all = std::distance(begin(tasks), end(tasks));
  return all > 1 + exec::Pool::instance().started() + (waits().polling ? 1 : 0);
}

void start_polling() {
  if (waits().polling || waits().exiting) return;
  exec::Pool::instance();  // made before the function is registered: it ends after it
  static const bool registered [[maybe_unused]] = std::atexit(abandon_kernels) == 0;
  waits().polling = true;
  const bool stays_behind = settings().schedule_seed != 0;
  std::thread([&lock = device().lock, stays_behind] { poll(lock, stays_behind); }).detach();
}

void wait_for_deferred(CUstream_st& stream) {
  wait_until([&] { return !must_defer(stream); });
}

void wait_for_deferred(const WorkHandle& work) {
  wait_until([&] { return !is_pending(work); });
}

void wait_for_deferred(const Device& device) {
  wait_until([&] {
    const auto& all = deferred_queue().all();
    return std::none_of(all.begin(), all.end(),
                        [&](const WorkHandle& work) { return is_pending(work) && work->device == &device; });
  });
}

void poll_deferred() {
  if (any_pending() && !deferred_queue().runs_operation()) deferred_queue().advance(0);
}

}  // namespace sim::cudart
