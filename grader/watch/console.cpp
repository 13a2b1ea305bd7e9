#include "grader/watch/console.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "grader/platform/failure.h"

namespace ladder::cli::watch {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Signal handlers reach these.
termios g_before{};
volatile sig_atomic_t g_taken = 0;
Console* g_console = nullptr;
// A stack overflow leaves no stack to handle it on.
alignas(16) char g_crash_stack[16384];

void on_crash(int number) {
  if (g_taken != 0) {
    ::tcsetattr(0, TCSANOW, &g_before);
    (void)!::write(1, "\r\n", 2);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void take_terminal() {
  termios mode = g_before;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  ::tcsetattr(0, TCSANOW, &mode);
  g_taken = 1;
}

void give_terminal_back() {
  if (g_taken != 0) ::tcsetattr(0, TCSANOW, &g_before);
  g_taken = 0;
}

/// Drops "\033[..X" and "\033OX"; a lone Escape stays.
std::string without_sequences(const std::string& typed) {
  std::string keys;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i] != '\033' || i + 1 == typed.size() || (typed[i + 1] != '[' && typed[i + 1] != 'O')) {
      keys += typed[i];
      continue;
    }
    i += 2;
    while (i < typed.size() && (typed[i] < '@' || typed[i] > '~')) ++i;
  }
  return keys;
}

}  // namespace

Console::Console() {
  if (::isatty(0) != 1 || ::isatty(1) != 1)
    throw Failure(ExitCode::usage, "watch talks with you, and this is no terminal",
                  "./ladder run RUNG checks once, from a script as well.");
  if (::tcgetattr(0, &g_before) != 0)
    throw Failure(ExitCode::environment, "the terminal cannot be read key by key");
  const stack_t stack{.ss_sp = g_crash_stack, .ss_flags = 0, .ss_size = sizeof g_crash_stack};
  ::sigaltstack(&stack, nullptr);
  crashes_.handle(kCrashes, on_crash, SA_ONSTACK | static_cast<int>(SA_RESETHAND));
  events_.emplace(kConsoleSignals, SA_RESTART);
  g_console = this;
  take_terminal();
}

Console::~Console() {
  give_terminal_back();
  g_console = nullptr;
}

void Console::leave_in_child() {
  g_taken = 0;
  if (g_console == nullptr) return;
  g_console->events_.reset();
  g_console->crashes_.restore();
}

std::optional<std::string> Console::keys() const {
  char typed[256];
  const ssize_t n = ::read(0, typed, sizeof typed);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return std::string();
  if (n <= 0) return std::nullopt;
  return without_sequences({typed, static_cast<std::size_t>(n)});
}

void Console::suspend() {
  give_terminal_back();
  {
    SignalGuard stopped;
    stopped.handle(std::array{SIGTSTP}, SIG_DFL);
    ::raise(SIGTSTP);  // stands still here until SIGCONT
  }
  ::tcgetattr(0, &g_before);  // the shell may have been told something else meanwhile
  take_terminal();
}

Size Console::size() {
  winsize size{};
  if (::ioctl(1, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return {size.ws_row, size.ws_col};
}

}  // namespace ladder::cli::watch
