// Findings of the simulator as people read them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "grader/platform/terminal.h"
#include "simulator/report/finding.h"

namespace ladder::cli {

/// The cures that a list of findings has told.
class ToldCures {
 public:
  /// Whether neither its words nor, at its line, one of its kind have been told; from then on they have.
  bool is_new(const sim::Finding& finding);

 private:
  std::set<std::string> words_;
  std::set<std::tuple<sim::Cure::Kind, std::string, int>> kinds_;  ///< with file and line
};

/// One finding: what, on what, where; the sentence; block and thread; the source line with a caret; the usual
/// cure. All but the first line is indented by two columns.
/// @param source  the file to quote from; empty: the finding's own
/// @param indent  of the first line
/// @param with_cure  false where it has been told already
std::vector<std::string> finding_lines(const sim::Finding& finding, const Terminal& terminal,
                                       const std::string& source = {}, std::string_view indent = {},
                                       bool with_cure = true);

/// The source line of a finding, the one before it, and the caret, indented by two columns; nothing where
/// there is no such line.
std::vector<std::string> finding_excerpt(const sim::Finding& finding, const Terminal& terminal,
                                         const std::string& source = {});

/// A list of findings: errors first, at most @p shown in full, and a line for the rest. Each cure is
/// told once.
std::vector<std::string> findings_list(const std::vector<sim::Finding>& findings, const Terminal& terminal,
                                       std::size_t shown = 8);

}  // namespace ladder::cli
