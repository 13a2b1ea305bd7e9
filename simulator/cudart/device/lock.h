// The lock that every API call holds.
#pragma once

#include <chrono>
#include <mutex>
#include <new>
#include <thread>

namespace sim::cudart {

/// A recursive mutex that a call which waits can give up altogether for a moment.
class ApiLock {
 public:
  void lock() {
    mutex_.lock();
    ++depth_;
  }
  void unlock() {
    --depth_;
    mutex_.unlock();
  }
  /// Lets others have it for @p time, however often the calling thread holds it.
  void rest(std::chrono::microseconds time) {
    const int held = depth_;
    for (int i = 0; i < held; ++i) unlock();
    std::this_thread::sleep_for(time);
    for (int i = 0; i < held; ++i) lock();
  }
  /// In a copy of the process, where the thread that held it has another number: makes it the holder again.
  void hold_in_copy() {
    const int held = depth_;
    new (&mutex_) std::recursive_mutex;
    depth_ = 0;
    for (int i = 0; i < held; ++i) lock();
  }

 private:
  std::recursive_mutex mutex_;
  int depth_ = 0;  ///< of the thread that holds it
};

}  // namespace sim::cudart
