#include "grader/sim/jobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "grader/platform/failure.h"

namespace ladder::cli {
namespace {

/// Ctrl-C reaches the compilers, which clean up and end; this process then learns it from their status.
class IgnoreInterrupts {
 public:
  IgnoreInterrupts() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &old_);
  }
  IgnoreInterrupts(const IgnoreInterrupts&) = delete;
  ~IgnoreInterrupts() { ::sigaction(SIGINT, &old_, nullptr); }

 private:
  struct sigaction old_ {};
};

pid_t start(const Job& job) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, job.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv;
  for (const std::string& word : job.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw Failure(ExitCode::environment,
                  fmt::format("cannot start {}: {}", job.argv[0], std::strerror(error)));
  return child;
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
  void add(Job& job) { jobs_[start(job)] = &job; }
  /// Waits for one of them; those that end before it are reaped in their turn.
  void wait() {
    const auto [child, job] = *jobs_.begin();
    jobs_.erase(jobs_.begin());
    int raw = 0;
    while (::waitpid(child, &raw, 0) < 0 && errno == EINTR) {
    }
    job->status = WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw), 0} : ExitStatus{WEXITSTATUS(raw), 0, 0};
  }

 private:
  std::map<pid_t, Job*> jobs_;
};

}  // namespace

void run_jobs(std::vector<Job>& jobs, unsigned at_once) {
  const IgnoreInterrupts guard;
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
