#include "grader/platform/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "grader/platform/failure.h"

namespace ladder::cli {
namespace {

using Clock = std::chrono::steady_clock;
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
  static const std::string kResultFd = "{result-fd}";
  for (std::string& word : argv)
    if (word == kResultFd)
      word = std::to_string(fd);
    else if (const std::size_t at = word.find(">/dev/fd/" + kResultFd); at != std::string::npos)
      word.replace(at + 9, kResultFd.size(), std::to_string(fd));  // in a script; elsewhere it is a path's
  return argv;
}

/// What every child does first: it leads a group, dies with its parent, and its output goes to the pipe.
void begin_child(const Pipe& output, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when ladder itself is killed
  if (::getppid() != parent) ::_exit(127);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
  g_wake_fd = -1;  // the parent's
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  ::dup2(output.write_end(), 1);
  ::dup2(output.write_end(), 2);
}

/// Between fork and exec; never returns.
[[noreturn]] void become(const std::vector<char*>& argv, const ChildCommand& command, const Pipe& output,
                         const Pipe& results, const Pipe& error, pid_t parent, bool with_results) {
  begin_child(output, parent);
  if (with_results) ::fcntl(results.write_end(), F_SETFD, 0);  // stays open in the program
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::execvp(argv[0], argv.data());
  const int reason = errno;
  (void)!::write(error.write_end(), &reason, sizeof reason);
  ::_exit(127);
}

void write_wholly(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ::_exit(1);  // nobody listens any more
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// A copy of this process that does the work and ends, without a destructor of what it was copied from.
[[noreturn]] void work_apart(const std::function<void(const Sender&)>& work, const Pipe& output,
                             const Pipe& results, pid_t parent) {
  begin_child(output, parent);
  ::dup2(results.write_end(), 3);
  ::fcntl(3, F_SETFD, FD_CLOEXEC);
  ::syscall(SYS_close_range, 4u, ~0u, 0u);  // locks and pipes of the parent's
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  try {
    work([](std::string_view line) {
      write_wholly(3, line);
      write_wholly(3, "\n");
    });
    ::_exit(0);
  } catch (const std::exception& error) {
    write_wholly(2, error.what());
    ::_exit(1);
  }
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

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

ExitStatus to_status(int raw, const rusage& used) {
  const double cpu = seconds(used.ru_utime) + seconds(used.ru_stime);
  if (WIFSIGNALED(raw)) return {0, WTERMSIG(raw), cpu};
  return {WEXITSTATUS(raw), 0, cpu};
}

/// Reads what a child says until it has ended, then ends its group.
ExitStatus attend(pid_t child, const SignalWatch& signals, const Pipe& output_pipe, const Pipe& result_pipe,
                  const LineSink& output, const LineSink& results,
                  std::optional<Clock::time_point> deadline) {
  GroupGuard guard(child);
  LineReader out(output_pipe.read_end(), output, kLongestLine);
  LineReader result(result_pipe.read_end(), results, kLongestResult);
  const Closing ended{open_pidfd(child)};
  int raw = 0;
  rusage used{};
  while (true) {
    std::array<pollfd, 4> watched = {
        {{out.fd(), POLLIN, 0}, {result.fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}, {ended.fd, POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), ended.fd < 0 ? 20 : deadline ? 200 : -1);
    if (SignalWatch::caught()) throw Failure(ExitCode::interrupted, "interrupted");
    if (deadline && Clock::now() > *deadline) ::kill(-child, SIGKILL);
    // Asked before draining: what a process wrote before its end is then in the pipes.
    const bool over = ::wait4(child, &raw, WNOHANG, &used) == child;
    if (over) guard.reaped();
    result.drain();
    out.drain();
    if (over) break;
  }
  result.finish();
  out.finish();
  return to_status(raw, used);
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

  return attend(child, signals, output_pipe, result_pipe, output, results, std::nullopt);
}

ExitStatus run_apart(const std::function<void(const Sender&)>& work, int seconds, const LineSink& output,
                     const LineSink& results) {
  Pipe output_pipe, result_pipe;
  const SignalWatch signals;
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // what is buffered is not for the child to write again
  const pid_t child = ::fork();
  if (child < 0)
    throw Failure(ExitCode::environment, fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) work_apart(work, output_pipe, result_pipe, parent);
  ::setpgid(child, child);
  output_pipe.close_write();
  result_pipe.close_write();
  return attend(child, signals, output_pipe, result_pipe, output, results,
                Clock::now() + std::chrono::seconds(seconds));
}

std::size_t allow_open_files(std::size_t wanted) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= wanted) return wanted;
  const rlimit all{wanted, std::max<rlim_t>(wanted, files.rlim_max)};  // beyond its limit only root may go
  if (::setrlimit(RLIMIT_NOFILE, &all) == 0) return wanted;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  return files.rlim_cur;
}

void need_open_files(std::size_t fewest, const char* what) {
  if (const std::size_t files = allow_open_files(); files < fewest)
    throw Failure(ExitCode::environment,
                  fmt::format("only {} files may be open at a time, and {} needs {}", files, what, fewest),
                  "The shell's `ulimit -n` sets that.");
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
