// The terminal while `ladder watch` has it: keys as they are pressed, signals as events, and all as it was at
// the end.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace ladder::cli::watch {

/// Rows and columns, as the terminal says; 24 x 80 where it does not.
struct Size {
  int rows = 24;
  int columns = 80;
};

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
  int signal_fd() const;
  /// The next signal that came: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP or SIGWINCH; nothing when there is
  /// none.
  std::optional<int> next_signal() const;

  /// What was typed, without escape sequences of arrows and the like; a lone Escape is "\033".
  /// @return nothing when the terminal is gone
  std::optional<std::string> keys() const;

  /// Hands the terminal back and stops this process, as Ctrl-Z should; returns when it goes on.
  void suspend();

  static Size size();
};

/// Undoes in a forked child what a Console did to signals. The terminal itself is left alone.
void leave_console_in_child();

}  // namespace ladder::cli::watch
