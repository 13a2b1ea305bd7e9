#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>

#include "grader/grade/engines/engine.h"
#include "grader/grade/sandbox/lease.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/protocol/verdict.h"

extern char** environ;

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kSpawnTries = 50;              // where the machine has too many processes for the moment
constexpr useconds_t kSpawnPause = 200'000;  // microseconds

/// While this lives, the signals that end a program and SIGCHLD are waited for and not delivered.
class SignalQueue {
 public:
  SignalQueue() {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set_, number);
    sigprocmask(SIG_BLOCK, &set_, &old_);
  }
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue() { sigprocmask(SIG_SETMASK, &old_, nullptr); }

  /// @return whether somebody wants us to stop, within the next @p milliseconds or until a child ended
  bool wait(int milliseconds) const {
    const timespec time{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
    const int number = sigtimedwait(&set_, nullptr, &time);
    return number == SIGINT || number == SIGTERM || number == SIGHUP;
  }
  const sigset_t& before() const { return old_; }

 private:
  sigset_t set_{}, old_{};
};

/// Units at work, each a process that leads a group.
class Crew {
 public:
  /// @param cores  for each unit
  Crew(const Run& run, const SignalQueue& signals, unsigned cores)
      : run_(run), signals_(signals), cores_(cores) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    for (const auto& [process, job] : jobs_) ::kill(-process, SIGTERM);  // they end their own cells
    for (int tries = 0; tries < 300 && !jobs_.empty(); ++tries) {
      (void)ended();
      ::usleep(10'000);
    }
    for (const auto& [process, job] : jobs_) ::kill(-process, SIGKILL);
    for (const auto& [process, job] : jobs_)
      while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
      }
  }

  void start(const std::string& key) {
    const std::string log = run_.log_file(key).string();
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &signals_.before());
    std::vector<std::string> words = {"ladder",
                                      "grade-unit",
                                      run_.work.string(),
                                      "--cores",
                                      std::to_string(cores_),
                                      "--parent",
                                      std::to_string(::getpid()),
                                      key};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t process = -1;
    int error = EAGAIN;
    for (int tries = 0; error == EAGAIN && tries < kSpawnTries; ++tries) {
      if (tries > 0) ::usleep(kSpawnPause);
      error = ::posix_spawn(&process, "/proc/self/exe", &files, &attributes, argv.data(), environ);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
      throw Failure(ExitCode::environment, fmt::format("cannot start a process: {}", std::strerror(error)));
    jobs_.emplace(process, key);
  }

  /// Jobs that have ended since the last call.
  std::vector<std::pair<std::string, int>> ended() {
    std::vector<std::pair<std::string, int>> over;
    for (auto at = jobs_.begin(); at != jobs_.end();) {
      int status = 0;
      if (::waitpid(at->first, &status, WNOHANG) != at->first) {
        ++at;
        continue;
      }
      ::kill(-at->first, SIGKILL);  // whatever it left
      over.emplace_back(std::move(at->second), status);
      at = jobs_.erase(at);
    }
    return over;
  }
  std::size_t size() const { return jobs_.size(); }

 private:
  const Run& run_;
  const SignalQueue& signals_;
  unsigned cores_;
  std::map<pid_t, std::string> jobs_;  ///< keys of the units
};

std::string how(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit status {}", WEXITSTATUS(status));
}

std::string last_line(const fs::path& log) {
  std::error_code error;
  if (!fs::exists(log, error)) return {};
  const std::vector<std::string> lines = split_lines(read_file(log));
  return lines.empty() ? "" : lines.back();
}

}  // namespace

void give_up(const Run& run, const std::string& key, const std::string& reason) {
  const Unit unit = load_unit(run, key);
  json result = {{"key", key},
                 {"lesson", unit.lesson},
                 {"device", json::object()},
                 {"rungs", json::array()},
                 {"seconds", 0}};
  for (const Unit::File& file : unit.files) {
    Verdict verdict;
    verdict.lesson = unit.lesson;
    verdict.rung = file.rung;
    verdict.outcome = Outcome::harness_failed;
    verdict.headline = "the grader could not judge this: " + reason;
    json rung = verdict;
    rung.erase("kernels");
    rung["hash"] = file.hash;
    result["rungs"].push_back(std::move(rung));
  }
  write_new_file(run.result_file(key),
                 result.dump() + "\n");  // a verdict that has come meanwhile is worth more
}

void note_done(const Run& run, const std::string& key) {
  const fs::path file = run.work / "journal.jsonl";
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line =
      json{{"done", key}, {"at", static_cast<std::int64_t>(::time(nullptr))}}.dump() + "\n";
  if (fd >= 0) {
    (void)!::write(fd, line.data(), line.size());
    ::close(fd);
  }
}

void run_local(const Run& run, const std::vector<std::string>& keys, int jobs, const ProgressSink& progress) {
  fs::create_directories(run.work / "logs");
  const SignalQueue signals;
  std::deque<std::string> waiting;
  std::map<std::string, int> tries;
  std::size_t done = 0;
  for (const std::string& key : keys) {
    if (fs::exists(run.result_file(key)))
      ++done;
    else
      waiting.push_back(key);
  }
  const auto begin = Clock::now();
  const auto tell = [&](std::size_t running, const std::string& note) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    progress({done, keys.size(), running, seconds, note});
  };
  Crew crew(run, signals, std::max(1u, usable_cores() / static_cast<unsigned>(std::max(1, jobs))));
  tell(0, {});
  while (!waiting.empty() || crew.size() > 0) {
    while (!waiting.empty() && crew.size() < static_cast<std::size_t>(jobs)) {
      crew.start(waiting.front());
      waiting.pop_front();
    }
    if (signals.wait(250)) throw Failure(ExitCode::interrupted, "interrupted");
    for (const auto& [key, status] : crew.ended()) {
      if (fs::exists(run.result_file(key))) {
        ++done;
        note_done(run, key);
        continue;
      }
      const std::string reason = fmt::format("{}; {}", how(status), last_line(run.log_file(key)));
      if (++tries[key] < kTries) {
        tell(crew.size(),
             fmt::format("a unit of {} is tried again ({})", load_unit(run, key).lesson, reason));
        waiting.push_back(key);
        continue;
      }
      give_up(run, key, reason);
      note_done(run, key);
      ++done;
    }
    tell(crew.size(), {});
  }
}

}  // namespace ladder::cli::grade
