// Work in a process of its own, so that a newer save, a key or Ctrl-C can end it at any moment.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/platform/failure.h"
#include "grader/platform/process/line_reader.h"
#include "grader/platform/process/subprocess.h"

namespace ladder::cli::watch {

using Clock = std::chrono::steady_clock;

/// A forked copy of this process that does one thing. What it prints to stdout and stderr comes as lines;
/// what it says of its progress comes apart from that. It and all that it started end with the task.
class BackgroundTask {
 public:
  /// @param work  runs in the copy; progress_fd: for Terminal::progress_fd. A Failure it throws is printed as
  /// one.
  /// @throws Failure (environment) where no process can be made
  explicit BackgroundTask(const std::function<ExitCode(int progress_fd)>& work);
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;
  ~BackgroundTask();

  int lines_fd() const { return lines_->fd(); }
  int progress_fd() const { return progress_->fd(); }
  Clock::time_point began() const { return began_; }

  /// Asks it to end. tick() insists after three seconds.
  void cancel();
  bool cancelled() const { return cancelled_; }

  struct News {
    std::vector<std::string> lines;
    std::string progress;  ///< the latest word, or empty
    bool ended = false;
  };
  /// What came since the last call; to be called when a descriptor is readable and every now and then.
  News tick();
  /// How it ended: an ExitCode, or internal where it died. Valid once tick() said so.
  ExitCode code() const { return code_; }

 private:
  std::optional<Subprocess> child_;
  std::optional<LineReader> lines_, progress_;
  News news_;  ///< since the last tick()
  Clock::time_point began_ = Clock::now(), cancel_by_{};
  bool cancelled_ = false;
  ExitCode code_ = ExitCode::internal;
};

}  // namespace ladder::cli::watch
