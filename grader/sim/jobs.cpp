#include "grader/sim/jobs.h"

#include <deque>

#include "grader/platform/failure.h"
#include "grader/platform/process/signals.h"

namespace ladder::cli {
namespace {

Subprocess start(const Job& job) {
  const UniqueFd log = open_log(job.log);
  SubprocessOptions options;
  options.argv = job.argv;
  options.output = log.get();
  options.default_signals = {SIGINT};
  return Subprocess(options);
}

/// The jobs that run now; waits for them on every way out.
class Running {
 public:
  Running() = default;
  Running(const Running&) = delete;
  ~Running() {
    while (!jobs_.empty()) wait();
  }
  std::size_t size() const { return jobs_.size(); }
  void add(Job& job) { jobs_.emplace_back(start(job), &job); }
  /// Waits for the oldest of them; those that end before it are reaped in their turn.
  void wait() {
    auto& [process, job] = jobs_.front();
    job->status = process.wait();
    jobs_.pop_front();
  }

 private:
  std::deque<std::pair<Subprocess, Job*>> jobs_;
};

}  // namespace

void run_jobs(std::vector<Job>& jobs, unsigned at_once) {
  // Ctrl-C reaches the compilers, which clean up and end; this process then learns it from their status.
  SignalGuard signals;
  signals.ignore({SIGINT});
  Running running;
  for (Job& job : jobs) {
    if (running.size() >= at_once) running.wait();
    running.add(job);
  }
  while (running.size() > 0) running.wait();
  for (const Job& job : jobs)
    if (job.status.signal == SIGINT || job.status.signal == SIGTERM || job.status.code == 128 + SIGINT)
      throw Failure(ExitCode::interrupted, "interrupted");
}

}  // namespace ladder::cli
