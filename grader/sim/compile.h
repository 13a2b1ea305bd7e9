// From CUDA sources to an ordinary program that finds the
// simulator's runtime where the CUDA runtime would be.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/project.h"
#include "grader/platform/process/file_lock.h"
#include "grader/platform/terminal.h"
#include "grader/sim/request.h"

namespace ladder::cli {

struct SimProgram {
  std::filesystem::path executable;
  std::vector<std::filesystem::path> check_ptx;  ///< one per .cu: the check build's device code
  std::string unchecked;      ///< a source whose check build does not compile; empty: all do
  std::string why_unchecked;  ///< the compiler's first lines about it
  FileLock in_use;            ///< keeps these files where they are
};

struct SimCompilation {
  std::optional<SimProgram> program;  ///< absent where the compiler or the linker refused
  std::string messages;               ///< what they said, as they said it
  int status = 0;                     ///< the failed compiler's exit status
};

/// Compiles and links, or takes what an earlier call made of the same files and options.
/// @param request   what to compile; paths are relative to the working directory
/// @param progress  shows what is being compiled
/// @throws Failure (environment) where nvcc or the simulator's library is missing, Failure (interrupted)
SimCompilation compile(const Project& project, const SimRequest& request, TransientLine& progress);

}  // namespace ladder::cli
