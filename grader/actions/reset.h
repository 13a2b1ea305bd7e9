// Starting a rung over.
#pragma once

#include "grader/run/context.h"

namespace ladder::cli {

/// Puts the skeleton back in place of the student's file, which is kept in backup_folder().
void reset_rung(Context& context, const LessonInfo& lesson, const RungInfo& rung);

}  // namespace ladder::cli
