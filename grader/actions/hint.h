// A rung's hints, which come in stages.
#pragma once

#include <optional>

#include "grader/run/context.h"

namespace ladder::cli {

/// Shows one stage of help, and notes it where it is further than any before.
/// @param stage  from 1 to the number of the rung's hints
void show_hint(Context& context, const LessonInfo& lesson, const RungInfo& rung, int stage);

/// Shows the next stage of help for a rung, and notes that it was shown.
/// @return how many stages are left after it; nothing where the rung has no hints
std::optional<int> show_next_hint(Context& context, const LessonInfo& lesson, const RungInfo& rung);

}  // namespace ladder::cli
