// Running a selection of rungs: for `ladder run`, `ladder demo` and the t key of `ladder watch`.
#pragma once

#include "grader/run/context.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {

struct RunOptions : LessonRunOptions {
  std::string json;  ///< file to write, "-" for stdout instead of the table, empty for none
};

/// Notes outcomes in the student's progress; the first rung that failed is noted last, for the map goes on
/// there. Rungs that were not run, or that the harness lost, are not noted.
void record_progress(Progress& progress, const Selection& selection, const LessonRunResult& result);

/// Notes outcomes and times. Where that cannot be done, as on a full disk, it says so on stderr: a verdict is
/// none the less one.
void note_down(Context& context, const Selection& selection, const LessonRunResult& result, Side side);

/// Below a student's modelled time, in lines of their own, what the model says of the rung's solution and
/// what a GPU recorded of it.
void show_solution_times(Context& context, const LessonInfo& lesson, const RungInfo& rung,
                         const Verdict& verdict, Side side);

/// Runs a selection and shows it: a table for several rungs, a block for one. Notes a student's progress.
/// @return passed when no rung failed and at least one passed; not_run rungs fail nothing
ExitCode run_and_show(Context& context, const Selection& selection, const RunOptions& options);

}  // namespace ladder::cli
