// Lines of host code for findings about calls of the runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/report/finding.h"

namespace ladder::cli {

/// Memory that findings speak of, and where the program asked for it.
struct AskedFor {
  std::string origin;  ///< what the findings' messages call it: "cudaMalloc #3"
  std::uint64_t size = 0;
  std::string file;  ///< empty where it is not known
  int line = 0;
  std::vector<std::string> host_frames;  ///< of the call, as those of a finding
};

/// Fills in file and line of findings that have none and know the calls that led to them: the innermost place
/// in the user's own source. Asks addr2line, which comes with the linker; where it is missing, nothing is
/// filled in.
/// @param memory  gets its file and line, and the messages that name it say the line
void name_host_lines(std::vector<sim::Finding>& findings, std::vector<AskedFor>& memory);

/// A message in which memory is called "cudaMalloc #1 of line 12" with the name of the variable that the
/// source has there: "d_a, cudaMalloc #1 of line 12".
std::string with_variables(std::string message, const std::string& source);

}  // namespace ladder::cli
