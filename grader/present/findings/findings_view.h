// Findings of the simulator as people read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/platform/terminal.h"
#include "simulator/report/finding.h"

namespace ladder::cli {

/// One finding: what, on what, where; the sentence; block and thread; the source line with a caret; the usual
/// cure. All but the first line is indented by two columns.
/// @param source  the file to quote from; empty: the finding's own
/// @param indent  of the first line
/// @param with_cure  false where one of its kind has been told already
std::vector<std::string> finding_lines(const sim::Finding& finding, const Terminal& terminal,
                                       const std::string& source = {}, std::string_view indent = {},
                                       bool with_cure = true);

/// The source line of a finding, the one before it, and the caret, indented by two columns; nothing where
/// there is no such line.
std::vector<std::string> finding_excerpt(const sim::Finding& finding, const Terminal& terminal,
                                         const std::string& source = {});

/// A list of findings: errors first, at most @p shown in full, and a line for the rest. Of one kind of cure
/// the first is told.
std::vector<std::string> findings_list(const std::vector<sim::Finding>& findings, const Terminal& terminal,
                                       std::size_t shown = 8);

}  // namespace ladder::cli
