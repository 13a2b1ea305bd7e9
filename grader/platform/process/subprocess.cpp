#include "grader/platform/process/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

#include "grader/platform/failure.h"

namespace ladder {
namespace {

using namespace std::chrono_literals;
constexpr auto kBetweenTries = 200ms;  // where there are too many processes
constexpr auto kBetweenLooks = 10ms;   // for the end of a process

[[noreturn]] void fail(const SubprocessOptions& options, int error) {
  std::string name = options.name.empty() ? options.program : options.name;
  if (name.empty()) name = options.argv.empty() ? "a process" : options.argv.front();
  throw cli::Failure(cli::ExitCode::environment,
                     fmt::format("cannot start {}: {}", name, std::strerror(error)));
}

/// A descriptor of ours, and the number that it gets in the process.
struct Redirection {
  int number;
  UniqueFd ours;
};

/// Doubled above all numbers of the process, so that none is covered that is needed still.
struct Redirections {
  std::vector<Redirection> all;
  int above = 3;  ///< first number that the process has no use for

  explicit Redirections(const SubprocessOptions& options) {
    for (const auto& [number, fd] : options.descriptors) above = std::max(above, number + 1);
    if (options.empty_input) {
      const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      add(options, 0, nothing.get());
    }
    if (options.output >= 0) {
      add(options, 1, options.output);
      add(options, 2, options.output);
    }
    for (const auto& [number, fd] : options.descriptors) add(options, number, fd);
  }

 private:
  void add(const SubprocessOptions& options, int number, int fd) {
    all.push_back({number, UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, above + 1))});
    if (!all.back().ours) fail(options, errno);
  }
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// What exec() is given. Made before a fork(): a copy of a process with threads may not allocate.
struct Program {
  std::vector<std::string> words, variables;
  std::vector<char*> argv, environment;
  std::string file;

  explicit Program(const SubprocessOptions& options)
      : words(options.argv), file(options.program.empty() ? options.argv.at(0) : options.program) {
    for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
    argv = pointers(words);
    const auto is_replaced = [&](const char* variable) {
      return std::any_of(options.environment.begin(), options.environment.end(), [&](const auto& ours) {
        return std::strncmp(variable, ours.first.c_str(), ours.first.size()) == 0 &&
               variable[ours.first.size()] == '=';
      });
    };
    environment = pointers(variables);
    environment.pop_back();
    for (char** at = environ; *at != nullptr; ++at)
      if (!is_replaced(*at)) environment.push_back(*at);
    environment.push_back(nullptr);
  }
};

bool needs_fork(const SubprocessOptions& options) {
  return options.death_signal != 0 || !options.limits.empty() || options.before != nullptr;
}

struct FileActions {
  posix_spawn_file_actions_t actions;
  FileActions(const SubprocessOptions& options, const Redirections& redirections) {
    posix_spawn_file_actions_init(&actions);
    for (const Redirection& redirection : redirections.all)
      posix_spawn_file_actions_adddup2(&actions, redirection.ours.get(), redirection.number);
    if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    if (options.close_others) posix_spawn_file_actions_addclosefrom_np(&actions, redirections.above);
#endif
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
};

struct Attributes {
  posix_spawnattr_t attributes;
  explicit Attributes(const SubprocessOptions& options) {
    posix_spawnattr_init(&attributes);
    int flags = 0;
    if (options.own_group) {
      flags |= POSIX_SPAWN_SETPGROUP;
      posix_spawnattr_setpgroup(&attributes, 0);
    }
    if (!options.default_signals.empty()) {
      flags |= POSIX_SPAWN_SETSIGDEF;
      sigset_t set;
      sigemptyset(&set);
      for (const int number : options.default_signals) sigaddset(&set, number);
      posix_spawnattr_setsigdefault(&attributes, &set);
    }
    if (options.mask) {
      flags |= POSIX_SPAWN_SETSIGMASK;
      posix_spawnattr_setsigmask(&attributes, &*options.mask);
    }
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes); }
};

/// @return 0, or the error
int spawn(const SubprocessOptions& options, const Redirections& redirections, const Program& program,
          pid_t& pid) {
  const FileActions files(options, redirections);
  const Attributes attributes(options);
  return ::posix_spawnp(&pid, program.file.c_str(), &files.actions, &attributes.attributes,
                        program.argv.data(), program.environment.data());
}

/// What a copy of this process does first. Only what is safe after fork() in a process with threads.
/// @param kept  a descriptor that stays, closed on exec; -1: none. @return its number now
int settle(const SubprocessOptions& options, const Redirections& redirections, pid_t parent, int kept) {
  if (options.own_group) ::setpgid(0, 0);
  if (options.death_signal != 0) ::prctl(PR_SET_PDEATHSIG, options.death_signal);
  if (options.death_signal != 0 && ::getppid() != parent) ::_exit(127);
  if (options.before != nullptr) options.before->undo_handlers();
  for (const int number : options.default_signals) ::signal(number, SIG_DFL);
  for (const auto& [resource, most] : options.limits) {
    const rlimit both{most, most};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
  }
  for (const Redirection& redirection : redirections.all) ::dup2(redirection.ours.get(), redirection.number);
  if (kept >= 0 && kept != redirections.above) kept = ::dup3(kept, redirections.above, O_CLOEXEC);
  if (options.close_others)
    ::syscall(SYS_close_range, static_cast<unsigned>(redirections.above + (kept >= 0)), ~0u, 0u);
  return kept;
}

/// Forks with all signals blocked, so that no handler of this process runs in the copy.
/// @param child  never returns; gets the signals that are to be blocked in it
/// @return the process, or -1 with errno
template <class Child>
pid_t fork_into(const SubprocessOptions& options, const Child& child) {
  sigset_t all, mask;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &mask);
  const pid_t pid = ::fork();
  if (pid == 0) child(options.mask ? *options.mask : mask);
  const int error = errno;
  if (pid > 0 && options.own_group) ::setpgid(pid, pid);  // here as well: whoever comes first
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  errno = error;
  return pid;
}

/// @return 0, or the error
int fork_and_exec(const SubprocessOptions& options, const Redirections& redirections, const Program& program,
                  pid_t& pid) {
  Pipe told;  // errno of an exec() that failed; closed by one that did not
  const pid_t parent = ::getpid();
  pid = fork_into(options, [&](const sigset_t& mask) {
    const int error_fd = settle(options, redirections, parent, told.write.get());
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    if (options.folder.empty() || ::chdir(options.folder.c_str()) == 0) {
      environ = const_cast<char**>(program.environment.data());
      ::execvp(program.file.c_str(), program.argv.data());
    }
    const int reason = errno;
    (void)!::write(error_fd, &reason, sizeof reason);
    ::_exit(127);
  });
  if (pid < 0) return errno;
  told.write.reset();
  int reason = 0;
  ssize_t n;
  do n = ::read(told.read.get(), &reason, sizeof reason);
  while (n < 0 && errno == EINTR);
  if (n != sizeof reason) return 0;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return reason;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Subprocess::Subprocess(const SubprocessOptions& options)
    : own_group_(options.own_group), patience_(options.patience) {
  const Redirections redirections(options);
  const Program program(options);
  const auto start = needs_fork(options) ? fork_and_exec : spawn;
  const auto until = std::chrono::steady_clock::now() + options.try_for;
  pid_t pid = -1;
  int error = start(options, redirections, program, pid);
  while (error == EAGAIN && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kBetweenTries);
    error = start(options, redirections, program, pid);
  }
  if (error != 0) fail(options, error);
  pid_ = pid;
}

Subprocess Subprocess::copy(const SubprocessOptions& options, const std::function<int()>& work) {
  Redirections redirections(options);
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // what is buffered is not for the copy to write again
  const pid_t pid = fork_into(options, [&](const sigset_t& mask) {
    settle(options, redirections, parent, -1);
    for (const auto& [number, fd] : options.descriptors) ::fcntl(number, F_SETFD, FD_CLOEXEC);
    redirections.all.clear();
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    ::_exit(work());
  });
  if (pid < 0) fail(options, errno);
  return {pid, options};
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      own_group_(other.own_group_),
      patience_(other.patience_),
      status_(other.status_) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(own_group_, other.own_group_);
  std::swap(patience_, other.patience_);
  std::swap(status_, other.status_);
  return *this;
}

Subprocess::~Subprocess() { end(patience_); }

/// Its number is nobody else's, nor that of its group, until it is waited for: the group is killed before.
ExitStatus Subprocess::reap() {
  if (own_group_) ::kill(-pid_, SIGKILL);
  int raw = 0;
  rusage used{};
  while (::wait4(pid_, &raw, 0, &used) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  status_.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  if (WIFSIGNALED(raw))
    status_.signal = WTERMSIG(raw);
  else
    status_.code = WEXITSTATUS(raw);
  return status_;
}

std::optional<ExitStatus> Subprocess::poll() {
  if (pid_ < 0) return status_;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
    return std::nullopt;
  return reap();
}

std::optional<ExitStatus> Subprocess::wait_for(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  for (;;) {
    if (auto status = poll()) return status;
    if (std::chrono::steady_clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

ExitStatus Subprocess::wait() {
  if (pid_ < 0) return status_;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  return reap();
}

void Subprocess::send(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

void Subprocess::send_to_group(int number) const {
  if (pid_ > 0) ::kill(own_group_ ? -pid_ : pid_, number);
}

ExitStatus Subprocess::kill() {
  send_to_group(SIGKILL);
  send(SIGKILL);  // in case it left its group
  return wait();
}

ExitStatus Subprocess::end(std::chrono::milliseconds patience) {
  if (running() && patience > 0ms) {
    send_to_group(SIGTERM);
    (void)wait_for(patience);
  }
  return kill();
}

UniqueFd Subprocess::end_fd() const { return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))); }

}  // namespace ladder
