// How `ladder` ends: its exit codes, and the exception that carries one to main().
#pragma once

#include <stdexcept>
#include <string>

namespace ladder::cli {

/// Exit status of `ladder`; printed by --help and relied
/// on by scripts. exit_code_help() says the same in words.
enum class ExitCode : int {
  passed = 0,  ///< every rung asked for passed, or the command did what it says
  failed = 1,  ///< at least one rung failed, or a check found a violation
  usage = 2,   ///< the command line was not understood, or names no such lesson or rung
  environment =
      3,  ///< set-up or build trouble that is not the student's: no compiler, no runner, unreadable file
  internal = 4,      ///< a mistake in ladder itself
  interrupted = 130  ///< Ctrl-C or SIGTERM
};

/// One line per exit code, for --help.
std::string exit_code_help();

/// An error the user can do something about. main() prints it without a stack trace and exits with its code.
class Failure : public std::runtime_error {
 public:
  /// @param code    exit status
  /// @param what    one sentence, no full stop needed
  /// @param advice  what to do next; may be empty or several lines
  Failure(ExitCode code, const std::string& what, std::string advice = {})
      : std::runtime_error(what), code_(code), advice_(std::move(advice)) {}

  ExitCode code() const { return code_; }
  const std::string& advice() const { return advice_; }

 private:
  ExitCode code_;
  std::string advice_;
};

}  // namespace ladder::cli
