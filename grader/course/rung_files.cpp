#include "grader/course/rung_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/course/skeleton.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"

namespace ladder::cli {

std::string skeleton_of(const LessonInfo& lesson, const RungInfo& rung) {
  const std::filesystem::path file = lesson.solution_file(rung);
  if (!std::filesystem::exists(file))
    throw Failure(ExitCode::environment,
                  fmt::format("{} has no solution: {} is missing", lesson.id(rung), file.string()),
                  "The file to start with is made from it. `git checkout -- solutions` brings it back.");
  Skeleton skeleton = make_skeleton(read_file(file));
  if (!skeleton.problems.empty())
    throw Failure(ExitCode::environment,
                  fmt::format("{}:{}: {}", file.string(), skeleton.problems.front().line,
                              skeleton.problems.front().message));
  return std::move(skeleton.text);
}

RungState state_of(const Progress& progress, const LessonInfo& lesson, const RungInfo& rung) {
  if (!std::filesystem::exists(lesson.student_file(rung))) return RungState::untouched;
  const std::string contents = read_file(lesson.student_file(rung));
  std::string skeleton;
  if (std::filesystem::exists(lesson.solution_file(rung)))
    skeleton = make_skeleton(read_file(lesson.solution_file(rung))).text;
  return progress.state(lesson, rung, contents, skeleton);
}

std::filesystem::path backup_folder(const Project& project, const LessonInfo& lesson) {
  return project.backups() / lesson.name;
}

std::string spoken(const RungInfo& rung) {
  std::string words = rung.idea;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace ladder::cli
