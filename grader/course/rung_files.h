// The two files of a rung: the student's own and the solution it comes from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/course/course.h"
#include "grader/course/progress.h"

namespace ladder::cli {

/// The skeleton of a rung, made from its solution, or, in an edition that has none, the one that was kept.
/// @throws Failure (environment) where both are missing or the solution's markers do not pair up
std::string skeleton_of(const LessonInfo& lesson, const RungInfo& rung);

/// The same, and nothing where both are missing.
std::optional<std::string> skeleton_if_there(const LessonInfo& lesson, const RungInfo& rung);

/// How a rung stands, from the student's file as it is now; a missing file counts as untouched.
RungState state_of(const Progress& progress, const LessonInfo& lesson, const RungInfo& rung);

/// Whether its solution may be looked at: the rung passed, or a file that is not the skeleton was run, and
/// the student's file is not the skeleton again.
bool is_tried(const Progress& progress, const LessonInfo& lesson, const RungInfo& rung);

/// Why a rung that is slower than the one below is worth doing, "A detour: ...", while its file is still the
/// skeleton; empty for any other.
std::string detour_ahead(const Progress& progress, const LessonInfo& lesson, const RungInfo& rung);

/// Where copies of the student's file are kept before it is replaced.
std::filesystem::path backup_folder(const Project& project, const LessonInfo& lesson);

/// "interleaved addressing"-like name for people: the idea with spaces.
std::string spoken(const RungInfo& rung);

}  // namespace ladder::cli
