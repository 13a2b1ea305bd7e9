// Lines of host code for findings about calls of the runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/report/finding.h"

namespace ladder::cli {

/// Fills in file and line of findings, of their other parties and of the memory they name, where these have
/// none and know the calls that led to them: the innermost place in the user's own source. Asks addr2line,
/// which comes with the linker; where it is missing, nothing is filled in. What was to be looked up goes.
void name_host_lines(std::vector<sim::Finding>& findings);

}  // namespace ladder::cli
