// Files of a rung beside each other.
#pragma once

#include "grader/run/context.h"

namespace ladder::cli {

/// Shows a student's file beside the solution; does not ask.
void show_diff(Context& context, const LessonInfo& lesson, const RungInfo& rung);

/// Shows what the solution of @p rung changes in that of the rung below, @p lower.
void show_diff_between(Context& context, const LessonInfo& lesson, const RungInfo& lower,
                       const RungInfo& rung);

}  // namespace ladder::cli
