// ladder diff: the student's file beside the solution, or the solution beside that of the rung below.
#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/names.h"
#include "grader/course/rung_files.h"
#include "grader/course/skeleton.h"
#include "grader/course/text_diff.h"
#include "grader/platform/files.h"

namespace ladder::cli {
namespace {

struct DiffOptions {
  std::string rung;
  bool yes = false;
  bool below = false;
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

/// A text that is compared: its name, and what is told behind it.
struct Text {
  std::filesystem::path file;
  std::string_view what;
  std::vector<std::string> lines;
};

/// @return whether they differ
bool show(Context& context, const Text& before, const Text& after) {
  const std::vector<DiffHunk> all = hunks(diff_lines(before.lines, after.lines));
  if (all.empty()) return false;
  const auto title = [&](std::string_view sign, const Text& side) {
    return fmt::format("{} {}   ({})", sign, context.shown(side.file), side.what);
  };
  context.line("{}", context.out.paint(Tone::bad, title("---", before)));
  context.line("{}", context.out.paint(Tone::good, title("+++", after)));
  for (const DiffHunk& hunk : all) print_hunk(context, hunk);
  return true;
}

/// The code of a solution. What was to be done is the student's matter, and no difference between rungs.
Text finished(const LessonInfo& lesson, const RungInfo& rung, std::string_view what) {
  const std::filesystem::path file = lesson.solution_file(rung);
  return {file, what, split_lines(without_todos(without_markers(read_file(file))))};
}

/// The rung below @p rung. @throws Failure (usage) where it is the lowest
const RungInfo& below(const LessonInfo& lesson, const RungInfo& rung) {
  if (&rung == &lesson.rungs.front())
    throw Failure(ExitCode::usage,
                  fmt::format("{} is the lowest rung: there is none below it", lesson.id(rung)),
                  fmt::format("./ladder list {} names those above.", lesson.id()));
  return *(&rung - 1);
}

ExitCode diff(Context& context, const DiffOptions& options) {
  const Selection selection = find_rung(context.course(), options.rung);
  const LessonInfo& lesson = *selection.lesson;
  const RungInfo& rung = *selection.rungs.front();
  const std::string id = lesson.id(rung);
  const RungInfo* lower = options.below ? &below(lesson, rung) : nullptr;
  if (!options.yes && state_of(context.progress(), lesson, rung) != RungState::passed) {
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
  else if (!show(context, finished(lesson, *lower, "the rung below"), finished(lesson, rung, "this rung")))
    context.line("{} is {}, line for line.", id, lesson.id(*lower));
  return ExitCode::passed;
}

}  // namespace

void show_diff(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  const std::filesystem::path mine = lesson.student_file(rung), solution = lesson.solution_file(rung);
  const Text yours{mine, "yours", split_lines(read_file(mine))};
  const Text ours{solution, "the solution", split_lines(without_markers(read_file(solution)))};
  if (!show(context, yours, ours)) context.line("{} is the solution, line for line.", context.shown(mine));
}

void add_diff(Commands& commands) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = commands.add("diff", "your file beside the solution, once it passes",
                                   "  ./ladder diff 09.3          after you passed it\n"
                                   "  ./ladder diff 09.3 --yes    now\n"
                                   "  ./ladder diff 09.3 --below  what it changes in the rung below\n",
                                   [options](Context& context) { return diff(context, *options); });
  command->add_option("rung", options->rung, "a rung, such as 09.3")->required();
  command->add_flag("-y,--yes", options->yes, "show the solution although the rung has not passed");
  command->add_flag("-b,--below", options->below,
                    "the solution beside that of the rung below: what the idea changes");
}

}  // namespace ladder::cli
