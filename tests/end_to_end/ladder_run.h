// Runs the real `ladder` on a small course, through a pipe or a pseudo-terminal.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "grader/platform/process/run_process.h"
#include "tests/grader/support/fakes.h"
#include "tests/grader/support/needs.h"

namespace end_to_end {

using Environment = std::vector<std::pair<std::string, std::string>>;

inline std::string ladder_binary() { return std::string(LADDER_BUILD_DIR) + "/bin/ladder"; }

struct Outcome {
  int code = 0;
  std::string text;  ///< stdout and stderr
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

inline Environment course_environment(const sample::Tree& tree) {
  return {{"LADDER_ROOT", tree.project.root.string()},
          {"LADDER_BUILD_DIR", tree.project.build.string()},
          {"TERM", "xterm"},
          {"LANG", "C.UTF-8"},
          {"LC_ALL", "C.UTF-8"},
          {"COLUMNS", "80"}};
}

/// `ladder ARGS` through a pipe.
inline Outcome ladder(const sample::Tree& tree, std::vector<std::string> args) {
  args.insert(args.begin(), ladder_binary());
  Outcome outcome;
  const auto status =
      ladder::cli::run_process({std::move(args), course_environment(tree)},
                               [&](std::string_view line) { outcome.text.append(line).push_back('\n'); });
  outcome.code = status.signal != 0 ? 128 + status.signal : status.code;
  return outcome;
}

/// `ladder ARGS` on a pseudo-terminal of 80 x 24.
class OnTerminal {
 public:
  OnTerminal(const sample::Tree& tree, std::vector<std::string> args, const Environment& more = {})
      : OnTerminal(ladder_binary(), tree, std::move(args), more) {}

  /// Another program, such as a shell that `ladder` is started from.
  OnTerminal(std::string program, const sample::Tree& tree, std::vector<std::string> args,
             const Environment& more) {
    needs::terminal();
    args.insert(args.begin(), std::move(program));
    Environment environment = course_environment(tree);
    environment.insert(environment.end(), more.begin(), more.end());
    winsize size{24, 80, 0, 0};
    child_ = ::forkpty(&master_, nullptr, nullptr, &size);
    if (child_ != 0) {
      ::fcntl(master_, F_SETFD, FD_CLOEXEC);  // no other program's
      return;
    }
    ::unsetenv("NO_COLOR");
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv;
    for (std::string& word : args) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;
  ~OnTerminal() {
    if (child_ > 0 && !ended_) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    ::close(master_);
  }

  void type(const std::string& keys) { (void)!::write(master_, keys.data(), keys.size()); }

  /// Reads until @p part was seen; false after ten seconds.
  bool wait_for(const std::string& part) { return seen_after(0, part) != std::string::npos; }

  /// Reads until @p part was seen behind what the last call of this found; false after ten seconds.
  bool wait_for_next(const std::string& part) {
    const std::size_t at = seen_after(read_up_to_, part);
    if (at != std::string::npos) read_up_to_ = at + part.size();
    return at != std::string::npos;
  }

  /// Takes in what comes within some time.
  void listen(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < end && read_some(20)) {
    }
  }

  const std::string& text() const { return text_; }
  void send(int signal_number) const { ::kill(child_, signal_number); }
  void resize(unsigned short rows, unsigned short columns) const {
    const winsize size{rows, columns, 0, 0};
    ::ioctl(master_, TIOCSWINSZ, &size);
  }
  /// The terminal's modes, as `stty` shows them.
  termios modes() const {
    termios modes{};
    ::tcgetattr(master_, &modes);
    return modes;
  }

  /// Reads to the end and waits for the process.
  Outcome finish() {
    while (read_some(10'000)) {
    }
    int status = 0;
    ::waitpid(child_, &status, 0);
    ended_ = true;
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), text_};
  }

 private:
  std::size_t seen_after(std::size_t from, const std::string& part) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (text_.find(part, from) == std::string::npos)
      if (std::chrono::steady_clock::now() > end || !read_some(200)) break;
    return text_.find(part, from);
  }

  bool read_some(int milliseconds) {
    pollfd watched{master_, POLLIN, 0};
    if (::poll(&watched, 1, milliseconds) == 0) return milliseconds < 1000;
    char chunk[4096];
    const ssize_t n = ::read(master_, chunk, sizeof chunk);  // fails with EIO when the other end is closed
    if (n <= 0) return false;
    text_.append(chunk, static_cast<std::size_t>(n));
    return true;
  }

  int master_ = -1;
  pid_t child_ = -1;
  bool ended_ = false;
  std::string text_;
  std::size_t read_up_to_ = 0;
};

}  // namespace end_to_end
