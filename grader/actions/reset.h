// Putting another text in place of a student's file: the skeleton, or one that was written elsewhere.
#pragma once

#include <string>

#include "grader/run/context.h"

namespace ladder::cli {

/// Puts the skeleton back in place of the student's file, which is kept in backup_folder().
void reset_rung(Context& context, const LessonInfo& lesson, const RungInfo& rung);

/// Makes @p text the student's file. What it replaces is kept in backup_folder(), and a line says where; but
/// for the skeleton, which nobody wrote.
void replace_rung(Context& context, const LessonInfo& lesson, const RungInfo& rung, const std::string& text);

}  // namespace ladder::cli
