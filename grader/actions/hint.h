// A rung's hints, which come in stages.
#pragma once

#include <optional>

#include "grader/course/text/hints.h"
#include "grader/run/context.h"

namespace ladder::cli {

/// The TODOs that a student's file has left; those of the skeleton where there is no file, none where there
/// is no skeleton to compare with.
std::vector<Todo> todos_left(const LessonInfo& lesson, const RungInfo& rung);

/// The hint that comes next.
/// @param todo  only of this TODO
/// @return nothing where there is none to offer
std::optional<NextHint> choose_hint(Context& context, const LessonInfo& lesson, const RungInfo& rung,
                                    std::optional<int> todo = {});

/// Shows one hint, and notes it where it is further than any before.
void show_hint(Context& context, const LessonInfo& lesson, const RungInfo& rung, const StagedHint& at);

/// "TODO(2) of 05.3 padded", or "05.3 padded" for a hint of the rung.
std::string hint_subject(const LessonInfo& lesson, const RungInfo& rung, const Hint& hint);

}  // namespace ladder::cli
