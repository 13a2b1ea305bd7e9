// ladder demo: a finished ladder, for a first look.
#include <algorithm>

#include "grader/actions/run.h"
#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {
namespace {

/// The lesson whose ladder is climbed; the first one where a course has no such lesson.
const LessonInfo& demo_lesson(const Course& course) {
  if (course.lessons.empty()) throw Failure(ExitCode::environment, "the course has no lessons");
  const auto found = std::find_if(course.lessons.begin(), course.lessons.end(),
                                  [](const LessonInfo& lesson) { return lesson.short_name == "reduction"; });
  return found != course.lessons.end() ? *found : course.lessons.front();
}

ExitCode demo(Context& context, const RunOptions& options) {
  const Selection selection = find_selection(context.course(), demo_lesson(context.course()).name);
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
