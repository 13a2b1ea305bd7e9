// Of `ladder dev check`: how much of the solutions students write themselves.
#pragma once

#include <vector>

#include "grader/run/contract.h"

namespace ladder::cli {

/// Of a finished rung, its lines of code: neither blank nor a comment alone.
struct LinesOfCode {
  int all = 0;
  int students = 0;  ///< between the markers
};
LinesOfCode lines_of_code(std::string_view solution);

/// Students write a quarter of the solutions' lines, eight in the median rung, and three at least in each
/// whose `few_lines` does not say why not.
std::vector<Violation> check_written(const Course& course);

}  // namespace ladder::cli
