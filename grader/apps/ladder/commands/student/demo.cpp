// ladder demo: a finished ladder, for a first look.
#include <algorithm>

#include "grader/actions/run.h"
#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/edition.h"
#include "grader/present/readme_tables.h"
#include "grader/records/measured.h"

namespace ladder::cli {
namespace {

/// The lesson whose ladder is climbed; the first one where a course has no such lesson.
const LessonInfo& demo_lesson(const Course& course) {
  if (course.lessons.empty()) throw Failure(ExitCode::environment, "the course has no lessons");
  const auto found = std::find_if(course.lessons.begin(), course.lessons.end(),
                                  [](const LessonInfo& lesson) { return lesson.short_name == "reduction"; });
  return found != course.lessons.end() ? *found : course.lessons.front();
}

/// Where the finished rungs are somebody else's: what they took on the author's GPU.
ExitCode recorded_demo(Context& context, const LessonInfo& lesson) {
  context.line("This edition of the course has no solutions, so there is no finished ladder to climb here.");
  if (const std::optional<Measured> measured = load_measured(lesson)) {
    context.line("This is what an {} measured of lesson {}, each rung one idea better than the one below:",
                 measured->device.name, lesson.id());
    context.line();
    context.line("{}", ladders_of(*measured, lesson));
  }
  context.line("{} shows the course and where to begin.", context.out.paint(Tone::code, "./ladder"));
  return ExitCode::passed;
}

ExitCode demo(Context& context, const RunOptions& options) {
  const Selection selection = find_selection(context.course(), demo_lesson(context.course()).name);
  if (!has_solutions(context.project())) return recorded_demo(context, *selection.lesson);
  context.line("This is lesson {}, finished: one problem, solved better on every rung.",
               selection.lesson->id());
  context.line("Each rung is a CUDA kernel that nvcc compiled and the grader checked.");
  context.line();
  const ExitCode code = run_and_show(context, selection, options);
  if (code != ExitCode::passed) return code;
  context.line();
  context.line("Now it is your turn. {} shows the course and where to begin.",
               context.out.paint(Tone::code, "./ladder"));
  return code;
}

}  // namespace

void add_demo(Commands& commands) {
  const auto [command, options] =
      commands.add("demo", "run a finished ladder, to see where this goes",
                   "  ./ladder demo                 on the GPU if there is one, else simulated\n"
                   "  ./ladder demo --device sim    simulated\n",
                   demo);
  options.side = Side::solution;
  command->add_option("--device", options.device, "sim, gpu, or auto: the GPU if there is one")
      ->check(CLI::IsMember({"auto", "sim", "gpu"}))
      ->type_name("WHICH");
}

}  // namespace ladder::cli
