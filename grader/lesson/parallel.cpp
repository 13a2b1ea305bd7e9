#include "grader/lesson/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ladder {
namespace {
constexpr std::int64_t kChunk = 65536;          // elements; fits a core's L2 even for doubles
constexpr std::int64_t kWorthThreads = 262144;  // below this, starting threads costs more than it saves
constexpr int kMostThreads = 16;                // memory bandwidth is used up by then
}  // namespace

void parallel_for(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body) {
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
  if (count < kWorthThreads || cores == 1) {
    if (count > 0) body(0, count);
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (;;) {
      const std::int64_t begin = next.fetch_add(kChunk);
      if (begin >= count) return;
      try {
        body(begin, std::min(begin + kChunk, count));
      } catch (...) {
        const std::scoped_lock lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = count;  // the others stop at their next piece
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < cores; ++i) threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ladder
