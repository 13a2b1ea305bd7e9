// `ladder watch`: a rung checked at every save, with the other commands a key away.
#pragma once

#include "grader/course/names.h"
#include "grader/run/context.h"
#include "grader/run/lesson_run.h"
#include "grader/watch/saves.h"

namespace ladder::cli::watch {

struct WatchOptions {
  LessonRunOptions lesson_run;
  Notice notice = Notice::automatic;
  bool page = false;  ///< serve the page, too
};

/// Watches until the student quits. Passing does not go on to the next rung by itself.
/// @return passed, or interrupted after Ctrl-C and the like
/// @throws Failure (usage) where this is no terminal
ExitCode watch(Context& context, Selection start, const WatchOptions& options);

}  // namespace ladder::cli::watch
