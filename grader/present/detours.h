// Rungs that are slower than the one below, and worth doing all the same.
#pragma once

#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/platform/terminal.h"

namespace ladder::cli {

/// What stands beside the name of such a rung: "↷", or "@" without Unicode.
std::string detour_mark(const Terminal& terminal);

/// Adds "↷ detour, 12.3 blelloch: ...", wrapped; nothing for a rung that is none.
void append_detour(std::vector<std::string>& lines, const LessonInfo& lesson, const RungInfo& rung,
                   const Terminal& terminal);

}  // namespace ladder::cli
