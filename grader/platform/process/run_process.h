// Child processes that never outlive `ladder`: each leads a group of its own, which Ctrl-C ends as a whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/platform/process/line_reader.h"
#include "grader/platform/process/subprocess.h"

namespace ladder::cli {

struct ChildCommand {
  std::vector<std::string>
      argv;  ///< argv[0] is looked up in PATH; a word "{result-fd}" becomes the channel's number, and so does
             ///< what a script redirects to by >/dev/fd/{result-fd}
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's
};

/// Runs a program to its end. Its stdin is empty; stdout and stderr are one stream.
/// When the program ends, whatever is left of its group is killed.
/// @param output   lines of stdout and stderr
/// @param results  lines of a second, private pipe, of up to 256 MiB; made only where this is set
/// @throws Failure (environment) where the program cannot be started, Failure (interrupted) on SIGINT,
/// SIGTERM or
///         SIGHUP, after the group was ended
ExitStatus run_process(const ChildCommand& command, const LineSink& output,
                       const LineSink& results = nullptr);

/// Runs a function in a process of its own, a copy of this one, so that whatever becomes of it there (a
/// crash, an endless loop, all memory taken) happens to nobody else. For programs of one thread.
/// @param work     its process ends with it, with status 0. What it throws goes to @p output, and the status
/// is 1
/// @param seconds  of the clock; after them the group is killed, and the status is SIGKILL
/// @param results  lines that the function sends through its Sender
/// @throws as run_process()
using Sender = std::function<void(std::string_view line)>;
ExitStatus run_apart(const std::function<void(const Sender&)>& work, int seconds, const LineSink& output,
                     const LineSink& results);

struct Captured {
  ExitStatus status;
  std::string output;  ///< stdout and stderr, at most 1 MiB
};

/// Runs a program and keeps what it prints; a program that does not exist gives code 127.
Captured capture(std::vector<std::string> argv);

}  // namespace ladder::cli
