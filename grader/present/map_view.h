// The course as a map: parts, lessons, rungs, how far the student has come, and where to go next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/progress.h"
#include "grader/platform/terminal.h"

namespace ladder::cli {

/// One character and a tone for a state; with and without Unicode, so that a pipe says the same.
std::string state_mark(RungState state, const Terminal& terminal);

/// Parts and lessons with a bar each; lines that fit terminal.width.
std::vector<std::string> lessons_view(const Course& course, const Progress& progress,
                                      const Terminal& terminal);

/// The rungs of one lesson with their one-line ideas.
std::vector<std::string> rungs_view(const LessonInfo& lesson, const Progress& progress,
                                    const Terminal& terminal);

/// The rung to work on: the one run last where it is not passed yet, else the next unpassed one after it in
/// its lesson, else the first unpassed one of the course. Empty when everything is passed.
struct NextStep {
  const LessonInfo* lesson = nullptr;
  const RungInfo* rung = nullptr;
  RungState state = RungState::untouched;
};
std::optional<NextStep> next_step(const Course& course, const Progress& progress);

}  // namespace ladder::cli
