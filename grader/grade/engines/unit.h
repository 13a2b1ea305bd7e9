// One unit of work, from sources to verdicts; a process of its own, here or on a node of a cluster.
#pragma once

#include <string>

#include "grader/course/course.h"
#include "grader/grade/engines/grading.h"

namespace ladder::cli::grade {

/// Compiles and judges a unit and writes its result in one step; does nothing where the result is there.
/// The result is JSON: key, lesson, device, rungs (each a verdict with `hash`, and `solution_ms` and
/// `solution_beside_ms` where it was timed), seconds.
/// @throws Failure
void do_unit(const Grading& grading, const Course& course, const std::string& key);

}  // namespace ladder::cli::grade
