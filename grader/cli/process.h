// Child processes that never outlive `ladder`: each leads a group of its own, which Ctrl-C ends as a whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::cli {

struct ExitStatus {
  int code = 0;    ///< exit status where signal is 0
  int signal = 0;  ///< the signal that ended the process, or 0
  bool ok() const { return code == 0 && signal == 0; }
};

struct ChildCommand {
  std::vector<std::string>
      argv;  ///< argv[0] is looked up in PATH; "{result-fd}" becomes the channel's number
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's
};

/// Receives whole lines, without their newline, as they come. A printed line longer than 1 MiB comes in
/// pieces; so does a result of more than 256 MiB.
using LineSink = std::function<void(std::string_view line)>;

/// Runs a program to its end. Its stdin is empty; stdout and stderr are one stream.
/// When the program ends, whatever is left of its group is killed.
/// @param output   lines of stdout and stderr
/// @param results  lines of a second, private pipe; made only where this is set
/// @throws Failure (environment) where the program cannot be started, Failure (interrupted) on SIGINT,
/// SIGTERM or
///         SIGHUP, after the group was ended
ExitStatus run_process(const ChildCommand& command, const LineSink& output,
                       const LineSink& results = nullptr);

struct Captured {
  ExitStatus status;
  std::string output;  ///< stdout and stderr, at most 1 MiB
};

/// Runs a program and keeps what it prints; a program that does not exist gives code 127.
Captured capture(std::vector<std::string> argv);

}  // namespace ladder::cli
