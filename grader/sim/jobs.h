// Compiler calls side by side.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/platform/process/subprocess.h"

namespace ladder::cli {

struct Job {
  std::vector<std::string> argv;
  std::filesystem::path log;  ///< where its stdout and stderr go
  ExitStatus status;          ///< filled in by run_jobs()
};

/// Runs all jobs, at most @p at_once at one time. They share this process's group, so Ctrl-C ends them too.
/// @throws Failure (environment) where a program cannot be started, Failure (interrupted) where a job was
/// ended by SIGINT or SIGTERM
void run_jobs(std::vector<Job>& jobs, unsigned at_once);

}  // namespace ladder::cli
