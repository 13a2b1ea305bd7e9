#include "simulator/engine/grid/pool.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace sim::exec {

namespace {

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, int(std::thread::hardware_concurrency()));
}

/// Lets a moment pass without giving up the core.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Those who began together mostly end together, and to sleep and be woken takes longer than that.
constexpr std::chrono::microseconds kAwake(50);

}  // namespace

Pool::Pool() : size_(usable_cores()) {}

Pool::~Pool() {
  {
    std::lock_guard hold(lock_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}

Pool& Pool::instance() {
  static Pool pool;
  return pool;
}

int Pool::started() {
  std::lock_guard hold(lock_);
  return int(threads_.size());
}

void Pool::run(int threads, const std::function<void(int)>& job) {
  if (threads <= 1) return job(0);
  std::lock_guard launch(one_at_a_time_);
  {
    std::lock_guard hold(lock_);
    while (int(threads_.size()) < threads - 1) {
      const int index = int(threads_.size()) + 1;
      threads_.emplace_back([this, index] { work(index); });
    }
    job_ = &job;
    wanted_ = threads;
    running_ = threads - 1;
    ++round_;
  }
  wake_.notify_all();
  job(0);
  const auto until = std::chrono::steady_clock::now() + kAwake;
  while (running_ != 0 && std::chrono::steady_clock::now() < until) pause();
  std::unique_lock hold(lock_);
  done_.wait(hold, [&] { return running_ == 0; });
  job_ = nullptr;
}

void Pool::work(int index) {
  unsigned long seen = 0;
  for (;;) {
    const std::function<void(int)>* job = nullptr;
    {
      std::unique_lock hold(lock_);
      wake_.wait(hold, [&] { return ending_ || (round_ != seen && index < wanted_ && job_ != nullptr); });
      if (ending_) return;
      seen = round_;
      job = job_;
    }
    (*job)(index);
    std::lock_guard hold(lock_);
    if (--running_ == 0) done_.notify_all();
  }
}

}  // namespace sim::exec
