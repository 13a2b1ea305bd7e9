// Host threads that run blocks, kept between launches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sim::exec {

class Pool {
 public:
  static Pool& instance();
  /// Host threads worth using: the cores this process may run on.
  int size() const { return size_; }
  /// Host threads that were started so far.
  int started();
  /// Calls job(0) ... job(threads - 1), each on a host thread of its own (job(0) on the caller's),
  /// and waits for all.
  void run(int threads, const std::function<void(int)>& job);
  ~Pool();

 private:
  Pool();
  void work(int index);

  int size_;
  std::mutex lock_, one_at_a_time_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* job_ = nullptr;
  int wanted_ = 0;
  std::atomic<int> running_{0};
  unsigned long round_ = 0;
  bool ending_ = false;
};

}  // namespace sim::exec
