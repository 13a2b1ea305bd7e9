// ladder hint: one stage of help at a time.
#include "grader/actions/hint.h"

#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/edition.h"
#include "grader/course/names.h"

namespace ladder::cli {
namespace {

struct HintOptions {
  std::string rung;
  int stage = 0;
  bool all = false;
  bool yes = false;
};

void tell_next(Context& context, const std::string& id, int stage, int count) {
  const Terminal& out = context.out;
  if (stage < count) {
    context.line("Still stuck? {} shows the next one.", out.paint(Tone::code, "./ladder hint " + id));
  } else if (!has_solutions(context.project())) {
    context.line("That was the last hint, and this edition has no solutions.");
  } else {
    context.line("That was the last hint. {} shows the solution beside your file.",
                 out.paint(Tone::code, "./ladder diff " + id));
  }
}

ExitCode hint(Context& context, const HintOptions& options) {
  const Selection selection = find_rung(context.course(), options.rung);
  const LessonInfo& lesson = *selection.lesson;
  const RungInfo& rung = selection.rung();
  const std::string id = lesson.id(rung);
  const int count = static_cast<int>(rung.hints.size());
  if (count == 0) {
    context.line("{} has no hints. Its lesson's text may help: {}", id,
                 context.shown(lesson.folder / "README.md"));
    return ExitCode::passed;
  }
  if (options.stage > count)
    throw Failure(ExitCode::usage,
                  fmt::format("{} has {} hints; there is no stage {}", id, count, options.stage));

  Progress& progress = context.progress();
  if (options.all) {
    const std::string question = fmt::format("Show all {} hints of {}, up to almost the code?", count, id);
    if (!options.yes && !confirm(context, question)) {
      context.line("Nothing shown. {} shows one at a time; --all --yes shows all.", "./ladder hint " + id);
      return ExitCode::passed;
    }
    for (int stage = 1; stage <= count; ++stage) show_hint(context, lesson, rung, stage);
    tell_next(context, id, count, count);
    return ExitCode::passed;
  }
  if (options.stage > 0)
    show_hint(context, lesson, rung, options.stage);
  else
    show_next_hint(context, lesson, rung);
  tell_next(context, id, options.stage > 0 ? options.stage : progress.hints_shown(lesson, rung), count);
  return ExitCode::passed;
}

}  // namespace

void add_hint(Commands& commands) {
  const auto [command, options] =
      commands.add("hint", "help in stages: each call shows the next one",
                   "  ./ladder hint 09.3              the first hint, then the second, ...\n"
                   "  ./ladder hint 09.3 --stage 1    the first one again\n"
                   "  ./ladder hint 09.3 --all        all of them, after a question\n",
                   hint);
  command->add_option("rung", options.rung, "a rung, such as 09.3 or reduction.interleaved")->required();
  CLI::Option* stage =
      command->add_option("--stage", options.stage, "show this stage (from 1)")->check(CLI::PositiveNumber);
  command->add_flag("--all", options.all, "show every stage")->excludes(stage);
  command->add_flag("-y,--yes", options.yes, "do not ask");
}

}  // namespace ladder::cli
