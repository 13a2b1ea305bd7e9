// One child process: how it is started, waited for and ended.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/platform/process/signals.h"
#include "grader/platform/process/unique_fd.h"

namespace ladder {

/// How a process ended.
struct ExitStatus {
  int code = 0;            ///< exit status where signal is 0
  int signal = 0;          ///< the signal that ended the process, or 0
  double cpu_seconds = 0;  ///< of the process and of all that it waited for
  bool ok() const { return code == 0 && signal == 0; }
};

/// How a process is started. Of this process's descriptors it has those without close-on-exec, and those
/// named here.
struct SubprocessOptions {
  std::vector<std::string> argv;  ///< argv[0] is what the program sees as its name
  std::string program = {};       ///< file to run; empty: argv[0]. Without a slash it is looked up in PATH
  std::string name = {};          ///< what messages call it; empty: the program
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to this process's
  std::filesystem::path folder = {};  ///< working directory; empty: this process's

  bool empty_input = true;  ///< whether stdin is /dev/null; else it is this process's
  int output = -1;          ///< what stdout and stderr go to; -1: this process's
  std::vector<std::pair<int, int>> descriptors = {};  ///< further ones: number there, and what it is here
  bool close_others = false;  ///< closes all above the highest of these, also those without close-on-exec

  bool own_group = false;  ///< whether it leads a process group; else it is in this process's
  int death_signal = 0;    ///< what it gets when the thread that started it ends; 0: nothing
  std::vector<std::pair<int, rlim_t>> limits = {};  ///< of setrlimit(2), soft and hard

  std::vector<int> default_signals = {};  ///< signals that do there what they do by default
  std::optional<sigset_t> mask = {};      ///< signals that are blocked there; else those that are here
  const SignalGuard* before = nullptr;    ///< there signals do what they did before this guard
  std::chrono::milliseconds try_for{0};   ///< how long to try where there are too many processes for now
  std::chrono::milliseconds patience{0};  ///< of the destructor, between SIGTERM and SIGKILL
};

/// A child process that does not outlive this object. Started with posix_spawn(), which takes no copy of this
/// process's page tables; with fork() where something is asked for that posix_spawn() has not: a death
/// signal, limits, or signals as they were before a guard.
class Subprocess {
 public:
  /// Starts a program. @throws cli::Failure (environment) where it cannot be started
  explicit Subprocess(const SubprocessOptions& options);

  /// Starts a copy of this process that calls a function. For programs of one thread.
  /// @param options  what concerns a program is of no effect; further descriptors are closed on exec there
  /// @param work     throws nothing; the copy ends with what it returns, without a destructor of others
  /// @throws cli::Failure (environment) where there can be no process
  static Subprocess copy(const SubprocessOptions& options, const std::function<int()>& work);

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  /// Ends it: asks first where the options have patience.
  ~Subprocess();

  /// @return -1 once it was waited for
  pid_t pid() const { return pid_; }
  bool running() const { return pid_ > 0; }

  /// Looks whether it has ended. If so, what is left of its group is killed.
  /// @return how it ended; nothing while it runs
  std::optional<ExitStatus> poll();
  /// Waits for its end, at most so long. @return as poll()
  std::optional<ExitStatus> wait_for(std::chrono::milliseconds time);
  /// Waits for its end. Where it leads a group, what is left of that is killed then.
  ExitStatus wait();

  /// Sends a signal to the process alone.
  void send(int number) const;
  /// Sends a signal to its group where it leads one, else to the process.
  void send_to_group(int number) const;
  /// Kills it and its group, and waits.
  ExitStatus kill();
  /// Asks its group to end, and kills what has not done so after @p patience.
  ExitStatus end(std::chrono::milliseconds patience);

  /// A descriptor that poll(2) finds readable when the process has ended; none where the kernel lacks that.
  UniqueFd end_fd() const;

 private:
  Subprocess(pid_t pid, const SubprocessOptions& options)
      : pid_(pid), own_group_(options.own_group), patience_(options.patience) {}
  ExitStatus reap();

  pid_t pid_ = -1;
  bool own_group_ = false;
  std::chrono::milliseconds patience_{0};
  ExitStatus status_;
};

}  // namespace ladder
