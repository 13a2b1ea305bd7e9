// ladder diff: the student's file beside the solution.
#include "grader/cli/commands/commands.h"
#include "grader/cli/files.h"
#include "grader/cli/names.h"
#include "grader/cli/rung_files.h"
#include "grader/cli/skeleton.h"
#include "grader/cli/text_diff.h"

namespace ladder::cli {
namespace {

struct Options {
  std::string rung;
  bool yes = false;
};

void print_hunk(const Context& context, const DiffHunk& hunk) {
  const Terminal& out = context.out;
  context.line("{}", out.paint(Tone::accent, fmt::format("@@ -{},{} +{},{} @@", hunk.old_start,
                                                         hunk.old_count, hunk.new_start, hunk.new_count)));
  for (const DiffLine& line : hunk.lines) {
    const std::string text = without_controls(line.text);
    switch (line.kind) {
      case DiffLine::Kind::same:
        context.line(" {}", text);
        break;
      case DiffLine::Kind::removed:
        context.line("{}", out.paint(Tone::bad, "-" + text));
        break;
      case DiffLine::Kind::added:
        context.line("{}", out.paint(Tone::good, "+" + text));
        break;
    }
  }
}

ExitCode diff(Context& context, const Options& options) {
  const Selection selection = find_rung(context.course(), options.rung);
  const LessonInfo& lesson = *selection.lesson;
  const RungInfo& rung = *selection.rungs.front();
  const std::string id = lesson.id(rung);
  if (!options.yes && state_of(context.progress(), lesson, rung) != RungState::passed) {
    context.line("{} has not passed yet, and this would show you its solution.", id);
    if (!confirm(context, "Show it all the same?")) {
      context.line("Kept closed. {} gives a hint;", context.out.paint(Tone::code, "./ladder hint " + id));
      context.line("{} shows the solution now.",
                   context.out.paint(Tone::code, "./ladder diff " + id + " --yes"));
      return ExitCode::passed;
    }
  }
  show_diff(context, lesson, rung);
  return ExitCode::passed;
}

}  // namespace

void show_diff(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  const std::filesystem::path mine = lesson.student_file(rung), solution = lesson.solution_file(rung);
  const std::vector<DiffHunk> all =
      hunks(diff_lines(split_lines(read_file(mine)), split_lines(without_markers(read_file(solution)))));
  if (all.empty()) {
    context.line("{} is the solution, line for line.", context.shown(mine));
    return;
  }
  context.line("{}", context.out.paint(Tone::bad, "--- " + context.shown(mine) + "   (yours)"));
  context.line("{}", context.out.paint(Tone::good, "+++ " + context.shown(solution) + "   (the solution)"));
  for (const DiffHunk& hunk : all) print_hunk(context, hunk);
}

void add_diff(Commands& commands) {
  auto options = std::make_shared<Options>();
  CLI::App* command = commands.add("diff", "your file beside the solution, once it passes",
                                   "  ./ladder diff 09.3          after you passed it\n"
                                   "  ./ladder diff 09.3 --yes    now\n",
                                   [options](Context& context) { return diff(context, *options); });
  command->add_option("rung", options->rung, "a rung, such as 09.3")->required();
  command->add_flag("-y,--yes", options->yes, "show the solution although the rung has not passed");
}

}  // namespace ladder::cli
