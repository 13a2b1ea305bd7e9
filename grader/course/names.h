// What a user may type for a lesson or a rung, and what is suggested when nothing fits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/course/course.h"

namespace ladder::cli {

/// A lesson, and the rungs of it that were asked for.
struct Selection {
  const LessonInfo* lesson = nullptr;
  std::vector<const RungInfo*> rungs;  ///< all of them where no rung was named
  bool one_rung = false;               ///< a rung was named

  /// The rung where one was named; else the first.
  const RungInfo& rung() const { return *rungs.front(); }
};

/// Finds a lesson by `9`, `09`, `reduction`, `09_reduction`, its folder's path, or the start of its name.
/// @throws Failure (usage), with the nearest names
const LessonInfo& find_lesson(const Course& course, std::string_view text);

/// Finds a lesson, or one rung as `09.3`, `reduction.3_interleaved`, `9.interleaved`,
/// `09_reduction/3_interleaved`, a path to its .cu file, or a rung's full name where only one lesson has it.
/// @throws Failure (usage), with the nearest names
Selection find_selection(const Course& course, std::string_view text);

/// As find_selection(), for commands that need exactly one rung. @throws Failure (usage)
Selection find_rung(const Course& course, std::string_view text);

/// The known names nearest to a mistyped one: at most three, best first, none that is far off.
std::vector<std::string> nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace ladder::cli
