// Which submissions are alike, by similarity-tester's sim_c++, where it is installed.
#pragma once

#include <string>
#include <vector>

#include "grader/grade/engines/grading_plan.h"

namespace ladder::cli::grade {

/// Compares, rung by rung, every student's attempted file with every other's.
/// sim_c++ (D. Grune, "Concise Report on the Algorithms in SIM") compares
/// tokens: names and layout do not matter to it. It runs in a cell, too.
/// @return CSV: lesson, rung, student, other, percent of the student's file that is in the other's, percent
/// of it that is
///         in the skeleton, which all of them share; pairs of @p least percent and more
/// @param notes  gets a line for each rung whose files could not be compared
/// @throws Failure (environment) where sim_c++ is not installed
std::string similarity_csv(const Grading& grading, const GradingPlan& plan,
                           const std::vector<Submission>& submissions, int least,
                           std::vector<std::string>& notes);

}  // namespace ladder::cli::grade
