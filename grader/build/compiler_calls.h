// Compiler calls side by side.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/platform/process/subprocess.h"

namespace ladder::cli {

struct CompilerCall {
  std::vector<std::string> argv;
  std::filesystem::path log;  ///< where its stdout and stderr go
  ExitStatus status;          ///< filled in by run_compiler_calls()
};

/// Runs all calls, at most @p at_once at one time. They share this process's group, so Ctrl-C ends them too.
/// @throws Failure (environment) where a program cannot be started, Failure (interrupted) where a call was
/// ended by SIGINT or SIGTERM
void run_compiler_calls(std::vector<CompilerCall>& calls, unsigned at_once);

}  // namespace ladder::cli
