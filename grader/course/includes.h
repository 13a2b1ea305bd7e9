// Which headers a rung may include: those that a student's file finds beside it wherever it is compiled.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/course.h"

namespace ladder::cli {

struct Include {
  int line = 0;      ///< from 1
  std::string name;  ///< "common/grid.h"
};

/// The files that `#include` lines of @p text name, in quotes or angle brackets.
std::vector<Include> includes_of(std::string_view text);

/// Headers in a lesson's own folder and in common/, sorted.
/// The compiler's cell has no other file of the checkout.
std::vector<std::filesystem::path> headers_for(const LessonInfo& lesson);

/// The file of the checkout that @p file of @p lesson means by
/// @p name; empty where it is the toolkit's or the system's.
std::filesystem::path in_checkout(const LessonInfo& lesson, const std::filesystem::path& file,
                                  const std::string& name);

}  // namespace ladder::cli
