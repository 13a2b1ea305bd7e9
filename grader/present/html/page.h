// The student's report: one HTML page that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/progress.h"
#include "grader/course/project.h"
#include "grader/present/map_view.h"

namespace ladder::cli {

/// Progress, hunts, ladders, roofline, lens pictures and the environment, of what was kept by keep_results().
/// @param environment  name and value, in order: what the figures were taken with
std::string report_page(const Project& project, const Course& course, const Progress& progress,
                        const HuntCounts& hunts,
                        const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace ladder::cli
