// Findings of the simulator as people read them.
#pragma once

#include <string>
#include <vector>

#include "grader/cli/terminal.h"
#include "simulator/report.h"

namespace ladder::cli {

/// One finding: what, on what, where; the sentence; the source line with a caret; the usual cure.
/// @param source  the file to quote from; empty: the finding's own
std::vector<std::string> finding_lines(const sim::Finding& finding, const Terminal& terminal,
                                       const std::string& source = {});

/// The source line of a finding, the one before it, and the caret; nothing where there is no such line.
std::vector<std::string> finding_excerpt(const sim::Finding& finding, const Terminal& terminal,
                                         const std::string& source = {});

/// A list of findings: errors first, at most @p shown in full, and a line for the rest.
std::vector<std::string> findings_list(const std::vector<sim::Finding>& findings, const Terminal& terminal,
                                       std::size_t shown = 8);

}  // namespace ladder::cli
