// Child processes that never outlive `ladder`: each leads a group of its own, which Ctrl-C ends as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::cli {

struct ExitStatus {
  int code = 0;            ///< exit status where signal is 0
  int signal = 0;          ///< the signal that ended the process, or 0
  double cpu_seconds = 0;  ///< of the process and of all that it waited for
  bool ok() const { return code == 0 && signal == 0; }
};

struct ChildCommand {
  std::vector<std::string>
      argv;  ///< argv[0] is looked up in PATH; a word "{result-fd}" becomes the channel's number, and so does
             ///< what a script redirects to by >/dev/fd/{result-fd}
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's
};

inline constexpr std::size_t kLongestLine =
    1u << 20;  ///< bytes; what is printed without a line end comes in pieces

/// Receives whole lines, without their newline, as they come. A printed line of kLongestLine or more comes in
/// pieces of at least that; so does a result of more than 256 MiB.
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

inline constexpr std::size_t kOpenFiles =
    1024;  ///< wanted by this program and its children; a judge's arrays are files

/// Lets this process and its children have @p wanted files open, or as many as it may. @return how many
std::size_t allow_open_files(std::size_t wanted = kOpenFiles);

/// @throws Failure (environment) where fewer than @p fewest files may be open at a time, which @p what needs
void need_open_files(std::size_t fewest, const char* what);

struct Captured {
  ExitStatus status;
  std::string output;  ///< stdout and stderr, at most 1 MiB
};

/// Runs a program and keeps what it prints; a program that does not exist gives code 127.
Captured capture(std::vector<std::string> argv);

}  // namespace ladder::cli
