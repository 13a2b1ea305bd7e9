// Of `ladder dev check`: a rung is passed when its idea works, so the finished rung below does not pass as
// it.
#pragma once

#include <vector>

#include "grader/run/contract.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {

/// Holds each rung's idea against what the solution of the rung below did. Where that was timed at another
/// size, or the rung has no idea to look at because the answer itself needs it, the solution of the rung
/// below is handed in as the rung. Neither may be near to a bound, unless lesson.toml says why (`close`).
/// @param solutions  a timed run of all of the lesson's
std::vector<Violation> check_ideas(const Project& project, const LessonInfo& lesson,
                                   const LessonRunResult& solutions, bool quick, TransientLine& progress);

/// Rungs whose idea nothing can observe, where they are more than a course may have.
std::vector<Violation> check_unobserved(const Course& course);

}  // namespace ladder::cli
