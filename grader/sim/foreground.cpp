#include "grader/sim/foreground.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "grader/platform/failure.h"

namespace ladder::cli {
namespace {

volatile pid_t g_program = -1;

void pass_on(int number) {
  if (g_program > 0) ::kill(g_program, number);
}

/// While the program runs: the terminal's signals reach it without us, the others are handed on.
class Signals {
 public:
  Signals() {
    for (std::size_t i = 0; i < kAll.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = kAll[i] == SIGINT || kAll[i] == SIGQUIT ? SIG_IGN : pass_on;
      ::sigaction(kAll[i], &action, &old_[i]);
    }
  }
  Signals(const Signals&) = delete;
  ~Signals() { restore(); }
  void restore() const {
    for (std::size_t i = 0; i < kAll.size(); ++i) ::sigaction(kAll[i], &old_[i], nullptr);
  }

 private:
  static constexpr std::array<int, 4> kAll = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 4> old_{};
};

}  // namespace

ExitStatus run_in_foreground(const std::string& executable, const std::vector<std::string>& argv,
                             const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> told{};
  if (::pipe2(told.data(), O_CLOEXEC) != 0)
    throw Failure(ExitCode::environment, fmt::format("cannot make a pipe: {}", std::strerror(errno)));

  const Signals signals;
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    signals.restore();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the program never outlives a killed `ladder`
    if (::getppid() != parent) ::_exit(127);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(executable.c_str(), words.data());
    const int reason = errno;
    (void)!::write(told[1], &reason, sizeof reason);
    ::_exit(127);
  }
  g_program = child;
  const int fork_error = errno;
  ::close(told[1]);
  int reason = child < 0 ? fork_error : 0, raw = 0;
  if (child > 0) {
    while (::read(told[0], &reason, sizeof reason) < 0 && errno == EINTR) {
    }
    while (::waitpid(child, &raw, 0) < 0 && errno == EINTR) {
    }
  }
  g_program = -1;
  ::close(told[0]);
  if (reason != 0)
    throw Failure(ExitCode::environment,
                  fmt::format("cannot start {}: {}", executable, std::strerror(reason)));
  return WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw), 0} : ExitStatus{WEXITSTATUS(raw), 0, 0};
}

void die_by(int signal) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // the program has left its own
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace ladder::cli
