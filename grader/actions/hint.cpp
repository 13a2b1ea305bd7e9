#include "grader/actions/hint.h"

#include <algorithm>

#include "grader/course/rung_files.h"

namespace ladder::cli {

void show_hint(Context& context, const LessonInfo& lesson, const RungInfo& rung, int stage) {
  const Terminal& out = context.out;
  const int count = static_cast<int>(rung.hints.size());
  context.line("{}", out.paint(Tone::strong, fmt::format("Hint {} of {} for {} {}", stage, count,
                                                         lesson.id(rung), spoken(rung))));
  for (const std::string& line :
       wrap(rung.hints[static_cast<std::size_t>(stage - 1)].text, static_cast<std::size_t>(out.width) - 2))
    context.line("  {}", line);
  context.line();
  Progress& progress = context.progress();
  if (stage > progress.hints_shown(lesson, rung)) progress.set_hints_shown(lesson, rung, stage);
}

std::optional<int> show_next_hint(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  const int count = static_cast<int>(rung.hints.size());
  if (count == 0) return std::nullopt;
  const int stage = std::min(context.progress().hints_shown(lesson, rung) + 1, count);
  show_hint(context, lesson, rung, stage);
  return count - stage;
}

}  // namespace ladder::cli
