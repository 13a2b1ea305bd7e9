// The cell that a student's code is compiled and run in: bubblewrap around ladder-confine around the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/grade/engines/grading.h"
#include "grader/protocol/worker_command.h"

namespace ladder::cli::grade {

/// What a cell shows and allows, beyond the system's programs and libraries.
struct Cell {
  struct Bind {
    std::filesystem::path outside, inside;
  };
  std::vector<Bind> read_only;
  std::vector<Bind> writable;
  std::vector<std::filesystem::path> folders;  ///< empty ones, for what is put there later
  bool gpu = false;
  int file_mb = 64;  ///< of one file; 0: no limit but that of the folders it may lie in
  int tmp_mb = 64;   ///< of /tmp, and of /dev/shm, as a whole
  int memory_mb =
      0;  ///< address space of each process; 0: no limit, as a GPU's driver maps more than there is
  int whole_mb =
      0;  ///< memory of all that is in it, where the kernel can be asked to limit that; 0: no limit
  int cpu_seconds = 0;  ///< of each process
  int processes = 128;
  int open_files = 256;  ///< of each process; each can hold memory of the kernel's
};

/// Why there can be no sandbox here, with what to do about it; empty where one was made and worked.
std::string why_no_sandbox(const Grading& grading);

/// The words before a program's own. Without a sandbox only the limits remain.
std::vector<std::string> enter(const Grading& grading, const Cell& cell);

/// What starts a rung's process, or its simulator's, in a cell; the cell shows the folder of the module, too,
/// wherever the judge finds that.
WorkerCommand worker_command(const Grading& grading, const Cell& cell, const std::filesystem::path& program);

/// A line for each measure that is in force, for reports: what a result was graded under.
std::vector<std::string> measures(const Grading& grading);

}  // namespace ladder::cli::grade
