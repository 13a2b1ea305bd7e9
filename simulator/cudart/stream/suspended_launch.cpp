#include "simulator/cudart/stream/suspended_launch.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <thread>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/engine/pool.h"

namespace sim::cudart {

struct Held {
  CUstream_st* stream;
  Device* device;
  std::vector<HeldWork> after;
  std::unique_ptr<Parked> kernel;  ///< waits; the operations come behind it
  std::deque<Operation> operations;
  bool begun = false, running = false, done = false;
};

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kPause(20);  ///< between two looks at kernels that wait
/// A program with threads of its own may still write what a kernel waits for: this long nobody calls it
/// endless.
constexpr std::chrono::seconds kEndless(20);
constexpr std::chrono::milliseconds kAtExit(50);  ///< that a kernel has left when the program ends

struct Queue {
  std::deque<HeldWork> all;  ///< not done, in the order of submission
  HeldWork now;              ///< whose operation runs; or the kernel that the running operation has parked
  bool inside = false;       ///< an operation that was held runs
  int depth = 0, waiting = 0;
  bool polling = false, ending = false;
};

Queue& queue() {
  static Queue& only = *new Queue;
  return only;
}

/// What a stream's next operation comes after and is not done.
std::vector<HeldWork> before_next(CUstream_st& stream) {
  std::vector<HeldWork> found;
  if (queue().all.empty()) return found;
  const auto add = [&](const CUstream_st& s) {
    if (is_held(s.last_held)) found.push_back(s.last_held);
  };
  add(stream);
  if (!stream.blocking) return found;
  CUstream_st& legacy = stream.device->default_stream;
  if (&stream != &legacy) {
    add(legacy);
  } else {
    each_stream([&](CUstream_st& other) {
      if (&other != &legacy && other.blocking && other.device == stream.device) add(other);
    });
  }
  return found;
}

/// Does what is left of a piece of work, until a kernel parks.
void proceed(const HeldWork& work) {
  const OnDevice on(*work->device);
  const HeldWork before = std::exchange(queue().now, work);
  const bool was_inside = std::exchange(queue().inside, true);
  work->running = true;
  while (work->kernel == nullptr && !work->operations.empty()) {
    const Operation operation = std::move(work->operations.front());
    work->operations.pop_front();
    if (work->device->failed()) continue;
    try {
      if (!std::exchange(work->begun, true)) begins(*work->stream);
      operation(*work->stream);
    } catch (...) {
      work->device->pending = current_exception_code();
    }
  }
  work->running = false;
  work->done = work->kernel == nullptr;
  queue().inside = was_inside;
  queue().now = before;
}

/// Gives each parked kernel a turn, and does what nothing holds up any longer. @return whether something was
/// done
bool advance(bool counts) {
  Queue& s = queue();
  bool moved = false;
  ++s.depth;
  for (std::size_t i = 0; i < s.all.size(); ++i) {  // it may grow meanwhile
    const HeldWork work = s.all[i];
    if (work->done || work->running) continue;
    if (work->kernel != nullptr && !work->device->failed()) {
      const OnDevice on(*work->device);
      work->running = true;
      const bool ended = work->kernel->go_on(counts);
      work->running = false;
      if (!ended) continue;
    } else if (std::any_of(work->after.begin(), work->after.end(), is_held)) {
      continue;
    }
    work->kernel.reset();
    proceed(work);
    moved = true;
  }
  if (--s.depth == 0) std::erase_if(s.all, [](const HeldWork& work) { return work->done; });
  return moved;
}

/// Whether the program has threads besides the one that asks.
bool others_about() {
  std::error_code failed;
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task", failed);
  if (failed) return true;
  const auto all = std::distance(begin(tasks), end(tasks));
  return all > 1 + exec::Pool::instance().started() + (queue().polling ? 1 : 0);
}

template <class Done>
void wait_until(Done done) {
  Queue& s = queue();
  if (done() || s.inside) return;  // what a stream calls must not wait for the stream
  ++s.waiting;
  const bool others = others_about();
  for (const auto began = SteadyClock::now(); !done();) {
    const bool counts = !others || SteadyClock::now() - began > kEndless;
    if (!advance(counts) && others) device().lock.rest(kPause);
  }
  --s.waiting;
}

/// The life of the runtime's thread: as long as anything is held.
void poll(ApiLock& lock) {
  for (;;) {
    bool moved = false;
    {
      std::lock_guard hold(lock);
      Queue& s = queue();
      if (s.ending || s.all.empty()) {
        s.polling = false;
        return;
      }
      moved = s.waiting == 0 && advance(false);
    }
    if (!moved) std::this_thread::sleep_for(kPause);
  }
}

/// A process that ends takes its kernels with it.
void at_exit() {
  std::lock_guard hold(device().lock);
  Queue& s = queue();
  for (const auto until = SteadyClock::now() + kAtExit; !s.all.empty() && SteadyClock::now() < until;)
    advance(false);
  s.ending = true;
  for (const HeldWork& work : s.all)
    if (work->kernel != nullptr) work->kernel->abandon();
}

void start_polling() {
  Queue& s = queue();
  if (s.polling || s.ending) return;
  exec::Pool::instance();  // made before the function is registered: it ends after it
  static const bool registered [[maybe_unused]] = std::atexit(at_exit) == 0;
  s.polling = true;
  std::thread([&lock = device().lock] { poll(lock); }).detach();
}

HeldWork add(CUstream_st& stream) {
  auto work = std::make_shared<Held>();
  work->stream = &stream;
  work->device = stream.device;
  queue().all.push_back(work);
  stream.last_held = work;
  return work;
}

}  // namespace

bool is_held_up(CUstream_st& stream) { return !queue().all.empty() && !before_next(stream).empty(); }

bool is_held(const HeldWork& work) { return work != nullptr && !work->done; }

bool anything_held() { return !queue().all.empty(); }

void run_now(CUstream_st& stream, const Operation& operation) {
  const HeldWork before = std::exchange(queue().now, nullptr);
  try {
    operation(stream);
  } catch (...) {
    queue().now = before;
    throw;
  }
  queue().now = before;
}

HeldWork hold(CUstream_st& stream, Operation operation, const HeldWork& also) {
  std::vector<HeldWork> after = before_next(stream);
  if (is_held(also)) after.push_back(also);
  const HeldWork work = add(stream);
  work->after = std::move(after);
  work->operations.push_back(std::move(operation));
  return work;
}

void park(CUstream_st& stream, std::unique_ptr<Parked> kernel) {
  Queue& s = queue();
  if (s.now == nullptr) {
    s.now = add(stream);
    s.now->begun = true;
  }
  s.now->kernel = std::move(kernel);
  start_polling();
}

bool has_parked() { return queue().now != nullptr && queue().now->kernel != nullptr; }

void then(CUstream_st& stream, const Operation& operation) {
  has_parked() ? queue().now->operations.push_back(operation) : operation(stream);
}

std::vector<HeldWork> waiting_for_caller(const Device& device) {
  Queue& s = queue();
  std::vector<HeldWork> found;
  if (s.all.empty() || s.inside || others_about()) return found;
  advance(false);  // what has been written by now, they see
  std::copy_if(s.all.begin(), s.all.end(), std::back_inserter(found), [&](const HeldWork& work) {
    return work->device == &device && work->kernel != nullptr && work->kernel->waits();
  });
  return found;
}

void has_run(const LateLoad& late) {
  for (const HeldWork& work : late.beside)
    if (work->kernel != nullptr) work->kernel->has_run(late);
}

void wait_for_held(CUstream_st& stream) {
  wait_until([&] { return !is_held_up(stream); });
}

void wait_for_held(const HeldWork& work) {
  wait_until([&] { return !is_held(work); });
}

void wait_for_held(const Device& device) {
  wait_until([&] {
    const auto& all = queue().all;
    return std::none_of(all.begin(), all.end(),
                        [&](const HeldWork& work) { return !work->done && work->device == &device; });
  });
}

void nudge_held() {
  if (anything_held() && !queue().inside) advance(false);
}

}  // namespace sim::cudart
