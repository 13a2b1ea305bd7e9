// What every lesson promises: its files are complete and in step, its skeletons fail, its solutions pass.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/project.h"
#include "grader/platform/terminal.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {

struct Violation {
  std::filesystem::path file;
  int line = 0;        ///< 0 where no line is to blame
  std::string what;    ///< one sentence
  std::string remedy;  ///< what an author does about it
};

/// Looks at a lesson's files: every rung has a skeleton and a solution and is described; each skeleton is its
/// solution minus the marked regions, byte for byte; each region has its TODO; there are two hints at least;
/// the contract header, the reference and a README with a picture are there; prerequisites exist.
std::vector<Violation> check_files(const LessonInfo& lesson, const Course& course);

/// What else is asked of a lesson's solutions once they have run.
using SolutionCheck = std::function<std::vector<Violation>(const LessonInfo&, const LessonRunResult&)>;

/// Builds and runs the solutions, timed: every one passes, its idea works, and the one below is not taken for
/// it.
/// @param also  asked of what they did; may be empty
std::vector<Violation> check_solutions(const Project& project, const LessonInfo& lesson, bool quick,
                                       const SolutionCheck& also, TransientLine& progress);

/// The same, and the other side: builds and runs both sides on the simulator: every skeleton compiles and
/// fails, every solution passes.
/// @param quick  small check cases only
/// @throws Failure (environment) where the tools are missing or broken, Failure (interrupted)
std::vector<Violation> check_behaviour(const Project& project, const LessonInfo& lesson, bool quick,
                                       const SolutionCheck& also, TransientLine& progress);

}  // namespace ladder::cli
