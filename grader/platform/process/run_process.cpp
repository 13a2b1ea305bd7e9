#include "grader/platform/process/run_process.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>

#include "grader/platform/failure.h"

namespace ladder::cli {
namespace {

using namespace std::chrono_literals;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;
constexpr std::size_t kLongestResult = 1u << 28;  // a verdict tells of up to 64 launches, line by line
constexpr int kResultFd = 3;                      // of a copy of this process
constexpr std::array kEndUs = {SIGINT, SIGTERM, SIGHUP};

std::vector<std::string> with_result_fd(std::vector<std::string> argv, int fd) {
  static const std::string kWord = "{result-fd}";
  for (std::string& word : argv)
    if (word == kWord)
      word = std::to_string(fd);
    else if (const std::size_t at = word.find(">/dev/fd/" + kWord); at != std::string::npos)
      word.replace(at + 9, kWord.size(), std::to_string(fd));  // in a script; elsewhere it is a path's
  return argv;
}

/// What all children have in common: a group that dies with this process, no input, and one output.
SubprocessOptions of_child(const Pipe& output) {
  SubprocessOptions options;
  options.output = output.write.get();
  options.own_group = true;
  options.death_signal = SIGKILL;  // also when ladder itself is killed
  options.default_signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  options.patience = 1s;  // to end its own children and go
  return options;
}

/// Reads what a child says until it has ended. A signal to this process, or an exception of a sink, ends the
/// child and its group on the way out.
/// @param signals  made before the child, so that none is missed
ExitStatus attend(Subprocess child, const SignalPipe& signals, Pipe& output_pipe, Pipe& result_pipe,
                  const LineSink& output, const LineSink& results, const Deadline& deadline) {
  output_pipe.write.reset();
  result_pipe.write.reset();
  LineReader out(std::move(output_pipe.read), output);
  LineReader result(std::move(result_pipe.read), results, kLongestResult);
  const UniqueFd ended = child.end_fd();
  for (;;) {
    std::array<pollfd, 4> watched = {{{out.fd(), POLLIN, 0},
                                      {result.fd(), POLLIN, 0},
                                      {signals.fd(), POLLIN, 0},
                                      {ended.get(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), !ended ? 20 : deadline ? 200 : -1);
    if (signals.next()) throw Failure(ExitCode::interrupted, "interrupted");
    if (deadline && std::chrono::steady_clock::now() > *deadline) child.send_to_group(SIGKILL);
    // Asked before draining: what a process wrote before its end is then in the pipes.
    const std::optional<ExitStatus> status = child.poll();
    result.drain();
    out.drain();
    if (!status) continue;
    result.finish();
    out.finish();
    return *status;
  }
}

}  // namespace

ExitStatus run_process(const ChildCommand& command, const LineSink& output, const LineSink& results) {
  Pipe output_pipe, result_pipe;
  const int result_fd = result_pipe.write.get();
  SubprocessOptions options = of_child(output_pipe);
  options.argv = with_result_fd(command.argv, result_fd);
  options.environment = command.environment;
  if (results) options.descriptors = {{result_fd, result_fd}};
  const SignalPipe signals(kEndUs);
  return attend(Subprocess(options), signals, output_pipe, result_pipe, output, results, std::nullopt);
}

ExitStatus run_apart(const std::function<void(const Sender&)>& work, int seconds, const LineSink& output,
                     const LineSink& results) {
  Pipe output_pipe, result_pipe;
  SubprocessOptions options = of_child(output_pipe);
  options.descriptors = {{kResultFd, result_pipe.write.get()}};
  options.close_others = true;  // locks and pipes of this process's
  options.limits = {{RLIMIT_CORE, 0}};
  const SignalPipe signals(kEndUs);
  Subprocess child = Subprocess::copy(options, [&] {
    try {
      work([](std::string_view line) {
        if (!write_wholly(kResultFd, line) || !write_wholly(kResultFd, "\n")) ::_exit(1);  // nobody listens
      });
      return 0;
    } catch (const std::exception& error) {
      write_wholly(STDERR_FILENO, error.what());
      return 1;
    }
  });
  return attend(std::move(child), signals, output_pipe, result_pipe, output, results,
                std::chrono::steady_clock::now() + std::chrono::seconds(seconds));
}

Captured capture(std::vector<std::string> argv) {
  Captured captured;
  try {
    captured.status = run_process({std::move(argv), {}}, [&](std::string_view line) {
      if (captured.output.size() < kLongestLine) captured.output.append(line).push_back('\n');
    });
  } catch (const Failure& failure) {
    if (failure.code() == ExitCode::interrupted) throw;
    captured.status.code = 127;
  }
  return captured;
}

}  // namespace ladder::cli
