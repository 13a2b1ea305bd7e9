// The terminal while `ladder watch` has it: keys as they are pressed, signals as events, and all as it was at
// the end.
#pragma once

#include <signal.h>

#include <array>
#include <optional>
#include <string>

#include "grader/platform/process/signals.h"

namespace ladder::cli::watch {

/// Rows and columns, as the terminal says; 24 x 80 where it does not.
struct Size {
  int rows = 24;
  int columns = 80;
};

/// What becomes an event while a Console lives.
inline constexpr std::array kConsoleSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};

/// Takes stdin out of line mode, without echo, for as long as this lives. Ctrl-C, Ctrl-Z and Ctrl-\ stay
/// signals. A crash (SIGSEGV, an abort, ...) brings the terminal back before the process dies of it; SIGKILL
/// cannot be caught. At most one may live at a time.
class Console {
 public:
  /// @throws Failure (usage) where stdin or stdout is no terminal
  Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  /// Readable when a signal came.
  int signal_fd() const { return events_->fd(); }
  /// The next of kConsoleSignals that came; nothing when there is none.
  std::optional<int> next_signal() const { return events_->next(); }

  /// What was typed, without escape sequences of arrows and the like; a lone Escape is "\033".
  /// @return nothing when the terminal is gone
  std::optional<std::string> keys() const;

  /// Hands the terminal back and stops this process, as Ctrl-Z should; returns when it goes on.
  void suspend();

  static Size size();

  /// Undoes in a copy of this process what its Console, if it has one, did to signals. The terminal itself is
  /// left alone.
  static void leave_in_child();

 private:
  SignalGuard crashes_;
  std::optional<SignalPipe> events_;
};

}  // namespace ladder::cli::watch
