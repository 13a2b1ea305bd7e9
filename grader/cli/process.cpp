#include "grader/cli/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "grader/cli/failure.h"

namespace ladder::cli {
namespace {

constexpr std::size_t kLongestLine = 1u << 20;    // of what a program prints
constexpr std::size_t kLongestResult = 1u << 28;  // a verdict tells of up to 64 launches, line by line

/// The write end of a pipe that a signal handler wakes poll() with.
volatile int g_wake_fd = -1;
volatile sig_atomic_t g_caught = 0;

void on_signal(int number) {
  const int saved = errno;
  g_caught = number;
  if (g_wake_fd >= 0) (void)!::write(g_wake_fd, "!", 1);
  errno = saved;
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw Failure(ExitCode::environment, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_read();
    close_write();
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close(ends_[0]); }
  void close_write() { close(ends_[1]); }

 private:
  static void close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  std::array<int, 2> ends_ = {-1, -1};
};

/// While this lives, Ctrl-C wakes the loop instead of ending `ladder` with its children still running.
class SignalWatch {
 public:
  SignalWatch() {
    for (const int fd : {pipe_.read_end(), pipe_.write_end()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    g_caught = 0;
    g_wake_fd = pipe_.write_end();
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &old_[i]);
  }
  ~SignalWatch() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
    g_wake_fd = -1;
  }
  int fd() const { return pipe_.read_end(); }
  static bool caught() { return g_caught != 0; }

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  Pipe pipe_;
  std::array<struct sigaction, 3> old_{};
};

/// Cuts a stream of bytes into lines.
class LineReader {
 public:
  LineReader(int fd, const LineSink& sink, std::size_t longest) : fd_(fd), sink_(sink), longest_(longest) {
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }

  int fd() const { return open_ ? fd_ : -1; }

  /// Takes what is there now.
  void drain() {
    char chunk[65536];
    while (open_) {
      const ssize_t n = ::read(fd_, chunk, sizeof chunk);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      if (n <= 0) {
        open_ = false;
        break;
      }
      take({chunk, static_cast<std::size_t>(n)});
    }
  }

  /// Hands on a last line that has no newline.
  void finish() {
    if (!rest_.empty()) emit(rest_);
    rest_.clear();
  }

 private:
  void take(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      rest_ += bytes.substr(0, end);
      bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
      if (end == std::string_view::npos && rest_.size() < longest_) return;
      emit(rest_);
      rest_.clear();
    }
  }
  void emit(const std::string& line) const {
    if (sink_) sink_(line);
  }

  int fd_;
  const LineSink& sink_;
  std::size_t longest_;
  std::string rest_;
  bool open_ = true;
};

std::vector<std::string> with_result_fd(std::vector<std::string> argv, int fd) {
  for (std::string& word : argv)
    if (const std::size_t at = word.find("{result-fd}"); at != std::string::npos)
      word.replace(at, 11, std::to_string(fd));
  return argv;
}

/// Between fork and exec; never returns.
[[noreturn]] void become(const std::vector<char*>& argv, const ChildCommand& command, const Pipe& output,
                         const Pipe& results, const Pipe& error, pid_t parent, bool with_results) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when ladder itself is killed
  if (::getppid() != parent) ::_exit(127);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  ::dup2(output.write_end(), 1);
  ::dup2(output.write_end(), 2);
  if (with_results) ::fcntl(results.write_end(), F_SETFD, 0);  // stays open in the program
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::execvp(argv[0], argv.data());
  const int reason = errno;
  (void)!::write(error.write_end(), &reason, sizeof reason);
  ::_exit(127);
}

/// The child's end, seen by poll(); -1 where the kernel has no such thing.
int open_pidfd(pid_t child) { return static_cast<int>(::syscall(SYS_pidfd_open, child, 0)); }

/// Ends a process group on every way out: by a signal, by an exception of a sink, or after its leader's end.
class GroupGuard {
 public:
  explicit GroupGuard(pid_t group) : group_(group) {}
  GroupGuard(const GroupGuard&) = delete;
  GroupGuard& operator=(const GroupGuard&) = delete;
  ~GroupGuard() {
    if (!reaped_) ask();
    ::kill(-group_, SIGKILL);  // whatever the leader left behind
    while (!reaped_ && ::waitpid(group_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  void reaped() { reaped_ = true; }

 private:
  /// Gives the leader a second to end its own children and go.
  void ask() {
    ::kill(-group_, SIGTERM);
    for (int tries = 0; tries < 100 && !reaped_; ++tries) {
      reaped_ = ::waitpid(group_, nullptr, WNOHANG) == group_;
      if (!reaped_) ::usleep(10'000);
    }
  }

  pid_t group_;
  bool reaped_ = false;
};

/// Closes a descriptor on every way out.
struct Closing {
  int fd;
  ~Closing() {
    if (fd >= 0) ::close(fd);
  }
};

ExitStatus to_status(int raw) {
  if (WIFSIGNALED(raw)) return {0, WTERMSIG(raw)};
  return {WEXITSTATUS(raw), 0};
}

}  // namespace

ExitStatus run_process(const ChildCommand& command, const LineSink& output, const LineSink& results) {
  Pipe output_pipe, result_pipe, error_pipe;
  const std::vector<std::string> words = with_result_fd(command.argv, result_pipe.write_end());
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const SignalWatch signals;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    throw Failure(ExitCode::environment, fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
  if (child == 0) become(argv, command, output_pipe, result_pipe, error_pipe, parent, results != nullptr);
  ::setpgid(child, child);  // here as well: whoever comes first
  output_pipe.close_write();
  result_pipe.close_write();
  error_pipe.close_write();

  int reason = 0;
  ssize_t told;
  do told = ::read(error_pipe.read_end(), &reason, sizeof reason);
  while (told < 0 && errno == EINTR && !SignalWatch::caught());
  if (told == sizeof reason) {
    ::waitpid(child, nullptr, 0);
    throw Failure(ExitCode::environment, fmt::format("cannot start {}: {}", words[0], std::strerror(reason)));
  }

  GroupGuard guard(child);
  LineReader out(output_pipe.read_end(), output, kLongestLine);
  LineReader result(result_pipe.read_end(), results, kLongestResult);
  const Closing ended{open_pidfd(child)};
  int raw = 0;
  while (true) {
    std::array<pollfd, 4> watched = {
        {{out.fd(), POLLIN, 0}, {result.fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}, {ended.fd, POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), ended.fd < 0 ? 20 : -1);
    if (SignalWatch::caught()) throw Failure(ExitCode::interrupted, "interrupted");
    // Asked before draining: what a process wrote before its end is then in the pipes.
    const bool over = ::waitpid(child, &raw, WNOHANG) == child;
    if (over) guard.reaped();
    result.drain();
    out.drain();
    if (over) break;
  }
  result.finish();
  out.finish();
  return to_status(raw);
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
