#include "grader/actions/hint.h"

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"

namespace ladder::cli {

std::vector<Todo> todos_left(const LessonInfo& lesson, const RungInfo& rung) {
  const std::string skeleton = skeleton_if_there(lesson, rung).value_or("");
  const std::filesystem::path file = lesson.student_file(rung);
  return open_todos(skeleton, std::filesystem::exists(file) ? read_file(file) : skeleton);
}

std::optional<NextHint> choose_hint(Context& context, const LessonInfo& lesson, const RungInfo& rung,
                                    std::optional<int> todo) {
  const auto shown = [&](int of) { return context.progress().hints_shown(lesson, rung, of); };
  return next_hint(offered_hints(rung, todos_left(lesson, rung), todo), shown);
}

std::string hint_subject(const LessonInfo& lesson, const RungInfo& rung, const Hint& hint) {
  const std::string name = lesson.id(rung) + " " + spoken(rung);
  return hint.todo == 0 ? name : fmt::format("TODO({}) of {}", hint.todo, name);
}

void show_hint(Context& context, const LessonInfo& lesson, const RungInfo& rung, const StagedHint& at) {
  const Terminal& out = context.out;
  context.line("{}", out.paint(Tone::strong, fmt::format("Hint {} of {} for {}", at.stage, at.count,
                                                         hint_subject(lesson, rung, *at.hint))));
  for (const std::string& line : wrap(at.hint->text, static_cast<std::size_t>(out.width) - 2))
    context.line("  {}", line);
  context.line();
  Progress& progress = context.progress();
  if (at.stage > progress.hints_shown(lesson, rung, at.hint->todo))
    progress.set_hints_shown(lesson, rung, at.stage, at.hint->todo);
}

}  // namespace ladder::cli
