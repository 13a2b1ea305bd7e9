#include "grader/course/rung_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/course/text/skeleton.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"

namespace ladder::cli {

std::string skeleton_of(const LessonInfo& lesson, const RungInfo& rung) {
  const std::filesystem::path file = lesson.solution_file(rung), kept = lesson.skeleton_file(rung);
  if (!std::filesystem::exists(file)) {
    if (std::filesystem::exists(kept)) return read_file(kept);
    throw Failure(ExitCode::environment,
                  fmt::format("{} has no solution: {} is missing", lesson.id(rung), file.string()),
                  "The file to start with is made from it. `git checkout -- solutions` brings it back.");
  }
  Skeleton skeleton = make_skeleton(read_file(file));
  if (!skeleton.problems.empty())
    throw Failure(ExitCode::environment,
                  fmt::format("{}:{}: {}", file.string(), skeleton.problems.front().line,
                              skeleton.problems.front().message));
  return std::move(skeleton.text);
}

std::optional<std::string> skeleton_if_there(const LessonInfo& lesson, const RungInfo& rung) {
  const std::filesystem::path file = lesson.solution_file(rung), kept = lesson.skeleton_file(rung);
  if (std::filesystem::exists(file)) return make_skeleton(read_file(file)).text;
  if (std::filesystem::exists(kept)) return read_file(kept);
  return std::nullopt;
}

RungState state_of(const Progress& progress, const LessonInfo& lesson, const RungInfo& rung) {
  if (!std::filesystem::exists(lesson.student_file(rung))) return RungState::untouched;
  return progress.state(lesson, rung, read_file(lesson.student_file(rung)),
                        skeleton_if_there(lesson, rung).value_or(""));
}

bool is_tried(const Progress& progress, const LessonInfo& lesson, const RungInfo& rung) {
  const RungState state = state_of(progress, lesson, rung);
  if (state == RungState::passed || progress.last_pass(lesson, rung)) return true;
  return state != RungState::untouched &&
         progress.tried(lesson, rung, skeleton_if_there(lesson, rung).value_or(""));
}

std::string detour_ahead(const Progress& progress, const LessonInfo& lesson, const RungInfo& rung) {
  if (rung.detour.empty() || state_of(progress, lesson, rung) != RungState::untouched) return {};
  return "A detour: " + rung.detour;
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
