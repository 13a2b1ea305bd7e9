// The time of a rung on a machine that others load.
#include "grader/judge/time_limit.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <limits>
#include <vector>

#include "grader/platform/process/process_tree.h"

namespace ladder {
namespace {

using Catch::Matchers::WithinAbs;

TimeLimit::Clock::time_point after(TimeLimit::Clock::time_point begin, double seconds) {
  return begin + std::chrono::duration_cast<TimeLimit::Clock::duration>(TimeLimit::Seconds(seconds));
}

/// Processes that compute on the first core that this one may use, until this is gone.
class OnOneCore {
 public:
  explicit OnOneCore(int count) {
    cpu_set_t may{}, one{};
    sched_getaffinity(0, sizeof may, &may);
    int core = 0;
    while (!CPU_ISSET(core, &may)) ++core;
    CPU_SET(core, &one);
    for (int i = 0; i < count; ++i) {
      processes_.push_back(fork());
      if (processes_.back() != 0) continue;
      sched_setaffinity(0, sizeof one, &one);
      for (volatile unsigned long n = 0;;) n = n + 1;
    }
  }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;
  ~OnOneCore() {
    for (const pid_t process : processes_) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
  }
  pid_t first() const { return processes_.front(); }

 private:
  std::vector<pid_t> processes_;
};

TEST_CASE("what a rung waited for a core does not count, up to three quarters of the time") {
  const auto begin = TimeLimit::Clock::now();
  TimeLimit time(2, begin);
  CHECK_THAT(time.left(after(begin, 1.5)).count(), WithinAbs(0.5, 1e-6));
  time.note({.computed = 0.5, .waited = 1}, after(begin, 1.5));
  CHECK_THAT(time.left(after(begin, 1.5)).count(), WithinAbs(1.5, 1e-6));
  time.note({.computed = 0, .waited = 97}, after(begin, 8));  // later than the kernel counts it
  CHECK_THAT(time.left(after(begin, 8)).count(), WithinAbs(0, 1e-6));
}

TEST_CASE("time that is slept away counts, and so does all that is computed") {
  const auto begin = TimeLimit::Clock::now();
  TimeLimit sleeps(2, begin);
  sleeps.note({}, after(begin, 2.5));
  CHECK(sleeps.left(after(begin, 2.5)).count() < 0);

  TimeLimit crowds(2, begin);  // with many threads of its own, that wait for each other
  crowds.note({.computed = 5, .waited = 80}, after(begin, 2.5));
  CHECK(crowds.left(after(begin, 2.5)).count() < 0);
}

TEST_CASE("what was given back stays, and without a limit there is no end") {
  const auto begin = TimeLimit::Clock::now();
  TimeLimit time(2, begin);
  time.note({.computed = 0.2, .waited = 0.8}, after(begin, 1));
  const auto given = time.given_back();
  time.note({.computed = 1.4, .waited = 0}, after(begin, 2));
  CHECK(time.given_back() >= given);
  CHECK(TimeLimit().left() == TimeLimit::Seconds(std::numeric_limits<double>::infinity()));
}

TEST_CASE("of processes on one core each is seen to wait while the others compute") {
  const OnOneCore four(4);
  ProcessTree tree(four.first());
  if (usleep(300'000); tree.look().since.computed == 0) SKIP("this kernel keeps no times of waiting");
  const auto begin = TimeLimit::Clock::now();
  CoreTime had;
  while (TimeLimit::Clock::now() < after(begin, 1)) {
    usleep(20'000);
    const CoreTime since = tree.look().since;
    had.computed += since.computed;
    had.waited += since.waited;
  }
  const double elapsed = TimeLimit::Seconds(TimeLimit::Clock::now() - begin).count();
  CHECK(had.waited > 0.5 * elapsed);
  CHECK(had.computed < 0.5 * elapsed);
  CHECK(had.computed > 0);
}

}  // namespace
}  // namespace ladder
