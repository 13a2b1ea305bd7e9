// ladder, alone: the map of the course and the next step.
#include <filesystem>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/apps/ladder/commands/student/hunts.h"
#include "grader/course/rung_files.h"
#include "grader/present/map_view.h"

namespace ladder::cli {
namespace {

void show_next(Context& context, const NextStep& step) {
  const LessonInfo& lesson = *step.lesson;
  const RungInfo& rung = *step.rung;
  const Terminal& out = context.out;
  const std::string id = lesson.id(rung);
  context.line("{}", out.paint(Tone::strong, fmt::format("Next: {} {}", id, spoken(rung))));
  for (const std::string& line : wrap(rung.summary, static_cast<std::size_t>(out.width) - 2))
    context.line("  {}", line);
  context.wrapped(detour_ahead(context.progress(), lesson, rung), "  ");
  if (context.project().in_place()) {
    context.line("  begin  {}   makes a folder of your own; go on there",
                 out.paint(Tone::code, "ladder init cuda-ladder"));
    return;
  }
  const bool first_rung = &rung == &lesson.rungs.front() && step.state == RungState::untouched;
  if (first_rung) context.line("  read   {}", out.paint(Tone::code, context.shown(lesson.readme)));
  context.line("  open   {}", out.paint(Tone::code, context.shown(lesson.student_file(rung))));
  context.line("  watch  {}   checks it at every save", out.paint(Tone::code, "./ladder watch"));
  context.line("  check  {}", out.paint(Tone::code, "./ladder run " + id));
  context.line("  stuck  {}", out.paint(Tone::code, "./ladder hint " + id));
}

}  // namespace

ExitCode show_map(Context& context) {
  const Course& course = context.course();
  const Terminal& out = context.out;
  std::size_t passed = 0, total = 0;
  for (const LessonInfo& lesson : course.lessons) {
    for (const RungInfo& rung : lesson.rungs) {
      passed += state_of(context.progress(), lesson, rung) == RungState::passed;
      ++total;
    }
  }
  const std::string title = "CUDA Ladder", count = fmt::format("{} of {} rungs passed", passed, total);
  context.line("{}{}", out.paint(Tone::strong, title),
               pad_left(count, static_cast<std::size_t>(out.width) - title.size()));
  context.line();
  for (const std::string& line : lessons_view(course, context.progress(), hunt_counts(context), out))
    context.line("{}", line);
  context.line();
  if (const auto step = next_step(course, context.progress())) {
    show_next(context, *step);
    // Not to somebody whose ladder has been built: they have seen one.
    if (passed == 0 && !std::filesystem::exists(context.project().binary("runner-first")))
      context.line("  see    {}   climbs a finished ladder first", out.paint(Tone::code, "./ladder demo"));
  } else if (total > 0) {
    context.line("{}", out.paint(Tone::good, "Every rung of the course is passed. Well climbed."));
  }
  return ExitCode::passed;
}

}  // namespace ladder::cli
