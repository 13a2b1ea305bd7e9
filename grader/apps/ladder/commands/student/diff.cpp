// ladder diff: the student's file beside the solution, or the solution beside that of the rung below.
#include "grader/actions/diff.h"

#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/edition.h"
#include "grader/course/names.h"
#include "grader/course/rung_files.h"

namespace ladder::cli {
namespace {

struct DiffOptions {
  std::string rung;
  bool yes = false;
  bool anyway = false;
  bool below = false;
};

/// The rung below @p rung. @throws Failure (usage) where it is the lowest
const RungInfo& below(const LessonInfo& lesson, const RungInfo& rung) {
  if (&rung == &lesson.rungs.front())
    throw Failure(ExitCode::usage,
                  fmt::format("{} is the lowest rung: there is none below it", lesson.id(rung)),
                  fmt::format("./ladder list {} names those above.", lesson.id()));
  return *(&rung - 1);
}

/// Why the solution stays closed before a first try, and by what it opens all the same.
void tell_to_try(Context& context, const DiffOptions& options, const LessonInfo& lesson,
                 const RungInfo& rung) {
  const std::string id = lesson.id(rung);
  const bool untouched = state_of(context.progress(), lesson, rung) == RungState::untouched;
  const auto code = [&](const std::string& text) { return context.out.paint(Tone::code, text); };
  context.line("{} {}; its solution opens after a first try.", id,
               untouched ? "is still the skeleton" : "was not run yet");
  context.line(
      "{} shows it now; {}.",
      code(fmt::format("./ladder diff {}{} --anyway", id, options.below ? " --below" : "")),
      untouched ? code("./ladder hint " + id) + " helps" : code("./ladder run " + id) + " tries yours");
}

ExitCode diff(Context& context, const DiffOptions& options) {
  const Selection selection = find_rung(context.course(), options.rung);
  expect_solutions(context.project());
  const LessonInfo& lesson = *selection.lesson;
  const RungInfo& rung = selection.rung();
  const std::string id = lesson.id(rung);
  const RungInfo* lower = options.below ? &below(lesson, rung) : nullptr;
  if (!options.anyway && !is_tried(context.progress(), lesson, rung)) {
    tell_to_try(context, options, lesson, rung);
    return ExitCode::passed;
  }
  if (!options.yes && !options.anyway && state_of(context.progress(), lesson, rung) != RungState::passed) {
    context.line("{} has not passed yet, and this would show you its solution.", id);
    if (!confirm(context, "Show it all the same?")) {
      context.line("Kept closed. {} gives a hint;", context.out.paint(Tone::code, "./ladder hint " + id));
      context.line("{} shows the solution now.",
                   context.out.paint(Tone::code, fmt::format("./ladder diff {}{} --yes", id,
                                                             options.below ? " --below" : "")));
      return ExitCode::passed;
    }
  }
  if (lower == nullptr)
    show_diff(context, lesson, rung);
  else
    show_diff_between(context, lesson, *lower, rung);
  return ExitCode::passed;
}

}  // namespace

void add_diff(Commands& commands) {
  const auto [command, options] =
      commands.add("diff", "your file beside the solution, once you have tried",
                   "  ./ladder diff 09.3          after you passed it; after a try, with a question\n"
                   "  ./ladder diff 09.3 --yes    after a try, without the question\n"
                   "  ./ladder diff 09.3 --anyway although you have not tried\n"
                   "  ./ladder diff 09.3 --below  what it changes in the rung below\n",
                   diff);
  command->add_option("rung", options.rung, "a rung, such as 09.3")->required();
  command->add_flag("-y,--yes", options.yes, "show the solution although the rung has not passed");
  command->add_flag("--anyway", options.anyway, "show the solution although your file was never run");
  command->add_flag("-b,--below", options.below,
                    "the solution beside that of the rung below: what the idea changes");
}

}  // namespace ladder::cli
