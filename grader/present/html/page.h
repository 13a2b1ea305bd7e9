// The student's report: one HTML page that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/progress.h"
#include "grader/course/project.h"
#include "grader/present/map_view.h"

namespace ladder::cli {

/// The student's own work first: ladders as climbed, what each idea changed under the lens, the roofline,
/// predictions, hunts, progress; then what all of it was taken with. Of what was kept by keep_results().
/// @param who  the student's name; may be empty @param day  "2026-11-27"
/// @param environment  name and value, in order: what the figures were taken with
std::string report_page(const Project& project, const Course& course, const Progress& progress,
                        const HuntCounts& hunts, const std::string& who, const std::string& day,
                        const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace ladder::cli
