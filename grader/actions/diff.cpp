#include "grader/actions/diff.h"

#include "grader/course/rung_files.h"
#include "grader/course/text/skeleton.h"
#include "grader/course/text/text_diff.h"
#include "grader/platform/files.h"

namespace ladder::cli {
namespace {

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

}  // namespace

void show_diff(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  const std::filesystem::path mine = lesson.student_file(rung), solution = lesson.solution_file(rung);
  const Text yours{mine, "yours", split_lines(read_file(mine))};
  const Text ours{solution, "the solution", split_lines(without_markers(read_file(solution)))};
  if (!show(context, yours, ours)) context.line("{} is the solution, line for line.", context.shown(mine));
}

void show_diff_between(Context& context, const LessonInfo& lesson, const RungInfo& lower,
                       const RungInfo& rung) {
  if (!show(context, finished(lesson, lower, "the rung below"), finished(lesson, rung, "this rung")))
    context.line("{} is {}, line for line.", lesson.id(rung), lesson.id(lower));
}

}  // namespace ladder::cli
