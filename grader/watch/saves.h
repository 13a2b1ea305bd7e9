// Tells when a file was saved, however the editor does that.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "grader/platform/process/unique_fd.h"

namespace ladder::cli::watch {

enum class Notice {
  automatic,  ///< inotify, or polling where the file lies on another machine's disk
  poll,       ///< looks at the file twice a second
  manual      ///< never: the student asks
};

/// Watches one file. Editors rename a new file over it, truncate it and write, or write in pieces: a save
/// counts when the file has been left alone for a moment.
class Saves {
 public:
  using Clock = std::chrono::steady_clock;

  /// The file, or its folder, may vanish and come back.
  Saves(std::filesystem::path file, Notice wish);
  Saves(const Saves&) = delete;
  Saves& operator=(const Saves&) = delete;

  /// What became of the wish: automatic is inotify now.
  Notice notice() const { return notice_; }
  /// Readable when something happened to the file; -1 where nobody tells.
  int fd() const { return fd_.get(); }
  /// When settled() wants to be asked again; nothing: only when fd() is readable.
  std::optional<Clock::time_point> next_look() const;
  /// Whether a save has settled since the last call.
  bool settled(Clock::time_point now);

 private:
  /// What tells one version of the file from another without reading it.
  struct Stamp {
    std::int64_t inode = 0, size = -1, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const;
  bool watch_folder();
  void touch(Clock::time_point now);
  void read_events(Clock::time_point now);
  void look(Clock::time_point now);

  std::filesystem::path file_;
  Notice notice_;
  UniqueFd fd_;
  Stamp last_;
  std::optional<Clock::time_point> touched_;  ///< a save that has not settled: when it was last seen going on
  Clock::time_point ready_at_{};              ///< when it has settled, if nothing more comes
  Clock::time_point next_look_{};
};

}  // namespace ladder::cli::watch
