// What `ladder watch` says: the task, the verdict on a save, the line of keys.
#pragma once

#include <string>
#include <vector>

#include "grader/actions/run.h"
#include "grader/watch/saves.h"

namespace ladder::cli::watch {

/// A rung as a student meets it: where it stands in its lesson,
/// its idea, the file to open, what is to be done there.
std::vector<std::string> task_lines(Context& context, const LessonInfo& lesson, const RungInfo& rung);

/// What was predicted of a rung, and what came of it.
std::vector<std::string> prediction_lines(Context& context, const LessonInfo& lesson, const RungInfo& rung);

/// The line above a verdict: the rung's place, and when it was saved.
std::string rule(const Context& context, const LessonInfo& lesson, const RungInfo& rung, int columns);

/// Builds what a lesson needs besides its rungs, where that was never built: while the task is read, so that
/// the first verdict need not wait for it.
void build_lesson(Context& context, const LessonInfo& lesson);

/// Builds, judges, notes the progress and prints the verdict. Made for a BackgroundTask.
ExitCode check(Context& context, const Selection& selection, const LessonRunOptions& options);

/// What each key does, a line each.
/// @param solutions  whether there are any to look at
std::vector<std::string> key_help(const Terminal& terminal, bool solutions);

/// "3 more lines": what the space key shows.
std::string more_lines(std::size_t waiting);

/// The keys in one or two lines, whichever fit.
/// @param passed  the rung has passed: next comes first, and diff needs no question
std::vector<std::string> key_lines(const Terminal& terminal, int columns, bool passed, std::size_t waiting,
                                   bool solutions);

/// "watching 3_padded.cu", or how else a save is noticed.
std::string how_noticed(const Saves& saves, const std::string& file);

/// The rung to go on with after this one, as step_after() has it; nothing where all others have passed.
Selection rung_after(Context& context, const LessonInfo& lesson, const RungInfo& rung);

/// "14:03:22", local time now.
std::string clock_text();

}  // namespace ladder::cli::watch
