#include "grader/watch/views.h"

#include <fmt/chrono.h>

#include <algorithm>

#include <ctime>
#include <filesystem>
#include "language/catalogue.h"

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/present/ladder_view.h"
#include "grader/present/map_view.h"
#include "grader/present/predictions_view.h"
#include "grader/present/verdict_view.h"

namespace ladder::cli::watch {
namespace fs = std::filesystem;
namespace {

using Lines = std::vector<std::string>;

std::string place(const LessonInfo& lesson, const RungInfo& rung) {
  const auto at = &rung - lesson.rungs.data();
  return tr("{}, rung {} of {}", lesson.title, at + 1, lesson.rungs.size());
}

void print_verdict(Context& context, const LessonInfo& lesson, const RungResult& result) {
  const VerdictView view{lesson,
                         *result.rung,
                         result.verdict,
                         context.shown(lesson.student_file(*result.rung)),
                         result.open_todos,
                         false};
  for (const std::string& line : verdict_block(view, context.out)) context.line("{}", line);
  show_solution_times(context, lesson, *result.rung, result.verdict, Side::student);
}

}  // namespace

std::string clock_text() { return fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr))); }

Lines task_lines(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  const Terminal& out = context.out;
  Lines lines;
  std::string marks;
  for (const RungInfo& other : lesson.rungs)
    marks += state_mark(state_of(context.progress(), lesson, other), out);
  lines.push_back(fmt::format("{}  {}  {}", out.paint(Tone::strong, lesson.id(rung) + " " + spoken(rung)),
                              out.paint(Tone::dim, place(lesson, rung)), marks));
  add_wrapped(lines, rung.summary, "  ", out);
  if (const std::string detour = detour_ahead(context.progress(), lesson, rung); !detour.empty())
    add_wrapped(lines, detour, "  ", out);
  lines.emplace_back();
  if (&rung == &lesson.rungs.front())
    lines.push_back(tr("  read  {}", out.paint(Tone::code, context.shown(lesson.readme))));
  const fs::path file = lesson.student_file(rung);
  lines.push_back(tr("  open  {}", out.paint(Tone::code, context.shown(file))));
  lines.emplace_back();
  if (!fs::exists(file)) {
    lines.emplace_back(tr("  It is missing; r makes it anew."));
    return lines;
  }
  const std::vector<Todo> open = open_todos(skeleton_of(lesson, rung), read_file(file));
  for (const Todo& todo : open)
    add_wrapped(lines, tr("TODO({}), line {}: {}", todo.number, todo.line, todo.text), "  ", out);
  const auto predictions = predictions_of(context.project().state(), context.progress(), lesson, rung);
  const auto asked = std::count_if(predictions.begin(), predictions.end(),
                                   [](const Prediction& prediction) { return !prediction.said; });
  if (asked > 0) {
    lines.emplace_back();
    lines.push_back(tr("  {} takes your prediction of {} before you run it.", out.paint(Tone::code, "p"),
                       asked == 1 ? tr("a number") : tr("{} numbers", asked)));
  }
  if (!open.empty()) {
    lines.emplace_back();
    lines.emplace_back(tr("  Save it, and the verdict comes here."));
  }
  return lines;
}

Lines prediction_lines(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  Lines lines;
  for (const Prediction& prediction :
       predictions_of(context.project().state(), context.progress(), lesson, rung))
    if (prediction.said)
      add_wrapped(lines, question_text(*prediction.question) + ": " + prediction_text(prediction), "  ",
                  context.out);
  return lines;
}

std::string rule(const Context& context, const LessonInfo& lesson, const RungInfo& rung, int columns) {
  const std::string line = context.out.pick("─", "-");
  const std::string text = fmt::format("{0}{0} {1} {0} {2} ", line, clock_text(), place(lesson, rung));
  std::string all = text;
  for (std::size_t width = display_width(text); width < static_cast<std::size_t>(std::min(columns, 120));
       ++width)
    all += line;
  return context.out.paint(Tone::dim, all);
}

void build_lesson(Context& context, const LessonInfo& lesson) {
  TransientLine progress(context.out);
  try {
    build(context.project(), {&lesson, {}, Side::student, {lesson.short_name + "_lesson"}}, progress);
  } catch (const Failure&) {  // the first check says it
  }
}

ExitCode check(Context& context, const Selection& selection, const LessonRunOptions& options) {
  const LessonInfo& lesson = *selection.lesson;
  const RungInfo& rung = selection.rung();
  if (!fs::exists(lesson.student_file(rung))) {
    context.line("{} is missing; {} makes it anew.", context.shown(lesson.student_file(rung)),
                 context.out.paint(Tone::code, "r"));
    return ExitCode::environment;
  }
  TransientLine progress(context.out);
  LessonRunEvents events;
  events.note = [&](const std::string& text) {
    context.line("{} {}", context.out.paint(Tone::warn, "note:"), text);
  };
  events.device = [&](const RunDevice& device) {
    context.line("{}", context.out.paint(Tone::dim, device_text(device)));
  };
  events.rung = [&](const RungResult& result) { print_verdict(context, lesson, result); };
  events.timed = [&](const Verdict& verdict) {
    if (!verdict.timing) return;
    Lines lines;
    add_wrapped(lines, timing_sentence(*verdict.timing, context.out), "  ", context.out);
    for (const std::string& line : lines) context.line("{}", line);
  };
  const LessonRunResult result = run_lesson(context.project(), selection, options, events, progress);
  note_down(context, selection, result, Side::student);
  if (result.rungs.empty()) throw Failure(ExitCode::environment, "the runner said nothing of this rung");
  const RungResult& ran = result.rungs.back();
  if (ran.verdict.outcome == Outcome::passed || ran.verdict.outcome == Outcome::idea_missing)
    for (const std::string& line : prediction_lines(context, lesson, rung)) context.line("{}", line);
  switch (ran.verdict.outcome) {
    case Outcome::passed:
      return ExitCode::passed;
    case Outcome::not_run:
      return ExitCode::environment;
    case Outcome::harness_failed:
      return ExitCode::internal;
    case Outcome::build_failed:
    case Outcome::idea_missing:
      return ExitCode::failed;
    default:
      break;
  }
  if (ran.open_todos.empty())  // every check has fresh inputs; the seed brings these back
    context.line("  {}", context.out.paint(Tone::dim, tr("the same inputs: ./ladder run {} --seed {}",
                                                         lesson.id(rung), result.device.seed)));
  return ExitCode::failed;
}

Lines key_help(const Terminal& terminal, bool solutions) {
  const auto line = [&](const std::string& key, const std::string& what) {
    return fmt::format("  {}  {}", terminal.paint(Tone::code, pad_right(key, 6)), what);
  };
  Lines all = {
      line("save", tr("builds and checks the rung; a newer save ends an older check")),
      line("Enter", tr("checks again, with fresh inputs")),
      line("h", tr("a hint; again: the next one, plainer")),
      line("l", tr("lens: what the warps did, line by line")),
      line("t", tr("ladder: all rungs of the lesson, timed")),
      line("d", tr("your file beside the solution, after a first try (asks, before it passes)")),
      line("m", tr("list of the lesson's rungs, and a way to any other rung")),
      line("n", tr("next rung that has not passed")),
      line("r", tr("reset: the skeleton back; your file is kept (asks)")),
      line("p", tr("predict the numbers that the lesson asks for; what is counted comes beside them")),
      line("space", tr("the rest of a page that is longer than the screen")),
      line("q", tr("quit (Ctrl-C, too); Ctrl-Z suspends, Ctrl-L draws anew"))};
  if (!solutions) all.erase(all.begin() + 5);  // d
  return all;
}

std::string more_lines(std::size_t waiting) { return tr("{} more line{}", waiting, waiting == 1 ? "" : "s"); }

Lines key_lines(const Terminal& terminal, int columns, bool passed, std::size_t waiting, bool solutions) {
  std::vector<std::pair<std::string, std::string>> keys = {
      {"h", tr("hint")}, {"l", tr("lens")},  {"t", tr("ladder")}, {"d", tr("diff")}, {"m", tr("list")},
      {"n", tr("next")}, {"r", tr("reset")}, {"?", tr("help")},   {"q", tr("quit")}};
  if (passed) std::rotate(keys.begin(), keys.begin() + 5, keys.begin() + 6);
  if (!solutions) std::erase_if(keys, [](const auto& key) { return key.first == "d"; });
  if (waiting > 0) keys.insert(keys.begin(), {"space", more_lines(waiting)});
  Lines lines(1);
  std::size_t width = 0;
  for (const auto& [key, what] : keys) {
    const std::size_t needed = key.size() + 1 + display_width(what);
    if (width > 0 && width + 2 + needed >= static_cast<std::size_t>(columns)) {
      if (lines.size() == 2) break;
      lines.emplace_back();
      width = 0;
    }
    lines.back() += (width > 0 ? "  " : "") + terminal.paint(Tone::code, key) + " " + what;
    width += (width > 0 ? 2 : 0) + needed;
  }
  return lines;
}

std::string how_noticed(const Saves& saves, const std::string& file) {
  switch (saves.notice()) {
    case Notice::automatic:
      return tr("watching {}", file);
    case Notice::poll:
      return tr("looking at {} twice a second", file);
    case Notice::manual:
      break;
  }
  return tr("Enter checks {}", file);
}

Selection rung_after(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  const auto step = step_after(context.course(), context.progress(), lesson, rung);
  return step ? Selection{step->lesson, {step->rung}, true} : Selection{};
}

}  // namespace ladder::cli::watch
