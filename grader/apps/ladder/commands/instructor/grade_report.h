// What a grading says of submissions and results, and what it writes.
#pragma once

#include <string>
#include <vector>

#include "grader/apps/ladder/commands/instructor/grade_setup.h"
#include "grader/grade/collect/submissions.h"
#include "grader/grade/engines/grading_plan.h"

namespace ladder::cli {

/// What was found, and a line for each thing that an instructor would want to know before points are lost.
void show_collected(Context& context, const grade::Policy& policy,
                    const std::vector<grade::Submission>& submissions, std::vector<std::string> notes);

/// A file for each student, the class's in the formats asked for, and where they lie.
void write_results(Context& context, const grade::Grading& grading, const grade::Policy& policy,
                   const grade::GradingPlan& plan, const std::vector<grade::Submission>& submissions,
                   const GradeOptions& options);

}  // namespace ladder::cli
