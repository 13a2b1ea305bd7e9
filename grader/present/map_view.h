// The course as a map: parts, lessons, rungs, how far the student has come, and where to go next.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/names.h"
#include "grader/course/progress.h"
#include "grader/platform/terminal.h"

namespace ladder::cli {

/// One character and a tone for a state; with and without Unicode, so that a pipe says the same.
std::string state_mark(RungState state, const Terminal& terminal);
/// The same in words: "changed since it passed".
std::string state_words(RungState state);

/// "hard, about 90 min", or what of it lesson.toml says.
std::string effort_text(const LessonInfo& lesson);

/// Kernels to mend of one lesson.
struct HuntCount {
  std::size_t found = 0;  ///< line and kind were said, or it was mended
  std::size_t mended = 0;
  std::size_t all = 0;
};
/// By lesson; a lesson without exercises is not in it.
using HuntCounts = std::map<const LessonInfo*, HuntCount>;

HuntCount sum_of(const HuntCounts& counts);

/// Parts and lessons with a bar each; lines that fit terminal.width.
std::vector<std::string> lessons_view(const Course& course, const Progress& progress, const HuntCounts& hunts,
                                      const Terminal& terminal);

/// The rungs of one lesson with their one-line ideas; which are detours, and why.
std::vector<std::string> rungs_view(const LessonInfo& lesson, const Progress& progress,
                                    const Terminal& terminal);

struct NextStep {
  const LessonInfo* lesson = nullptr;
  const RungInfo* rung = nullptr;
  RungState state = RungState::untouched;
};

/// The rung to work on: the one run last where it is not passed yet, else the next unpassed one after it in
/// its lesson, else the lesson's first, else the first unpassed one of the first lesson whose prerequisites
/// have passed. Empty when everything is passed.
std::optional<NextStep> next_step(const Course& course, const Progress& progress);

/// The rung that @p text names; of a lesson the one that next_step() has there, its first where that is none;
/// without a text where the course goes on. @throws Failure (usage, environment)
Selection rung_to_work_on(const Course& course, const Progress& progress, const std::string& text);

/// The rung to go on with after @p rung: as next_step() has it where @p rung has passed. Where it has not, it
/// is skipped: the next unpassed one of its lesson, then of the lessons behind it whose prerequisites have
/// passed, its own counted as one of those, and from the top again.
/// @return nothing where no other rung is left
std::optional<NextStep> step_after(const Course& course, const Progress& progress, const LessonInfo& lesson,
                                   const RungInfo& rung);

}  // namespace ladder::cli
