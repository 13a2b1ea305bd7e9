// Runs the program itself, as a shell would: with this process's terminal, input, output and signals.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grader/platform/process/subprocess.h"

namespace ladder::cli {

/// Runs a program to its end in this process's place: stdin, stdout, stderr and the process group are shared;
/// Ctrl-C and Ctrl-\ are the program's to handle, SIGTERM and SIGHUP are passed on to it.
/// @param argv         argv[0] is what the program sees as its name
/// @param environment  added to this process's
/// @throws Failure (environment) where the program cannot be started
ExitStatus run_in_foreground(const std::string& executable, const std::vector<std::string>& argv,
                             const std::vector<std::pair<std::string, std::string>>& environment);

/// Ends this process by the signal that ended the program, so that a shell sees no difference.
[[noreturn]] void die_by(int signal);

}  // namespace ladder::cli
