// What signals do, for a scope.
#pragma once

#include <signal.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "grader/platform/process/unique_fd.h"

namespace ladder {

/// Changes what signals do to this process, and puts all of it back at the end of its life. Guards end in the
/// reverse of the order in which they began.
class SignalGuard {
 public:
  SignalGuard() = default;
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() { restore(); }

  /// @param handler  a function, SIG_IGN or SIG_DFL
  /// @param flags    of sigaction(2)
  void handle(std::span<const int> numbers, void (*handler)(int), int flags = 0);
  /// A signal that is ignored stays so in programs that are started: see SubprocessOptions.
  void ignore(std::initializer_list<int> numbers) { handle({numbers.begin(), numbers.size()}, SIG_IGN); }
  /// Keeps signals waiting, in this thread and in those that it starts, until wait() takes them.
  void block(std::initializer_list<int> numbers);

  /// Waits for one of the blocked signals. @return its number; nothing after @p milliseconds
  std::optional<int> wait(int milliseconds) const;
  /// What was blocked before block().
  const sigset_t& mask_before() const { return mask_; }

  /// Puts everything back now.
  void restore();
  /// Puts handlers back and takes no note of it: for a child between fork() and exec().
  void undo_handlers() const;

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
  sigset_t blocked_{}, mask_{};
  bool blocks_ = false;
};

/// While this lives, signals do nothing but come out of a pipe, for loops that poll(). The one that was made
/// last gets them.
class SignalPipe {
 public:
  /// @param flags  of sigaction(2): SA_RESTART where calls are to go on
  /// @throws cli::Failure (environment) where there can be no pipe
  explicit SignalPipe(std::span<const int> numbers, int flags = 0);
  SignalPipe(const SignalPipe&) = delete;
  SignalPipe& operator=(const SignalPipe&) = delete;
  ~SignalPipe();

  /// Readable when a signal has come.
  int fd() const { return pipe_.read.get(); }
  /// The number of the next signal that has come, if one has.
  std::optional<int> next() const;

 private:
  Pipe pipe_;
  int outer_;  ///< what signals were written to before
  SignalGuard guard_;
};

}  // namespace ladder
