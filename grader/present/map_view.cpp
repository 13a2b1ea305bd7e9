#include "grader/present/map_view.h"

#include <fmt/format.h>

#include "grader/course/rung_files.h"

namespace ladder::cli {
namespace {

struct Look {
  const char* unicode;
  const char* ascii;
  Tone tone;
};

Look look(RungState state) {
  switch (state) {
    case RungState::passed:
      return {"●", "#", Tone::good};
    case RungState::changed:
      return {"○", "~", Tone::warn};
    case RungState::idea_missing:
      return {"◐", "%", Tone::warn};
    case RungState::failed:
      return {"✗", "x", Tone::bad};
    case RungState::started:
      return {"◌", "o", Tone::accent};
    case RungState::untouched:
      break;
  }
  return {"·", ".", Tone::dim};
}

std::size_t columns(const Terminal& terminal) { return static_cast<std::size_t>(terminal.width); }

std::string lesson_line(const LessonInfo& lesson, const Progress& progress, std::size_t name_width,
                        const Terminal& terminal) {
  std::string marks;
  std::size_t passed = 0;
  for (const RungInfo& rung : lesson.rungs) {
    const RungState state = state_of(progress, lesson, rung);
    passed += state == RungState::passed;
    marks += state_mark(state, terminal);
  }
  const bool complete = passed == lesson.rungs.size();
  const std::string count = fmt::format("{:>2}/{:<2}", passed, lesson.rungs.size());
  const std::string name = fmt::format("{} {}", lesson.id(), lesson.short_name);
  const std::size_t marks_width = std::max<std::size_t>(12, lesson.rungs.size());
  const std::size_t used = 2 + name_width + 2 + marks_width + 1 + 5;
  const std::size_t room = columns(terminal) > used + 12 ? columns(terminal) - used - 2 : 0;
  return fmt::format("  {}  {} {}  {}",
                     terminal.paint(complete ? Tone::good : Tone::strong, pad_right(name, name_width)),
                     pad_right(marks, marks_width), complete ? terminal.paint(Tone::good, count) : count,
                     shorten(lesson.title, room, terminal.unicode));
}

}  // namespace

std::string state_mark(RungState state, const Terminal& terminal) {
  const Look shape = look(state);
  return terminal.paint(shape.tone, terminal.unicode ? shape.unicode : shape.ascii);
}

std::vector<std::string> lessons_view(const Course& course, const Progress& progress,
                                      const Terminal& terminal) {
  std::vector<std::string> lines;
  std::size_t name_width = 0;
  for (const LessonInfo& lesson : course.lessons)
    name_width = std::max(name_width, lesson.short_name.size() + 3);
  std::string part;
  for (const LessonInfo& lesson : course.lessons) {
    if (lesson.part != part) lines.push_back(terminal.paint(Tone::accent, part = lesson.part));
    lines.push_back(lesson_line(lesson, progress, name_width, terminal));
  }
  for (const CourseProblem& problem : course.problems)
    lines.push_back(terminal.paint(Tone::warn, "left out: ") + problem.text());
  if (course.lessons.empty()) lines.push_back("No lessons here yet.");
  return lines;
}

std::vector<std::string> rungs_view(const LessonInfo& lesson, const Progress& progress,
                                    const Terminal& terminal) {
  std::vector<std::string> lines;
  lines.push_back(terminal.paint(Tone::strong, fmt::format("{} {}", lesson.id(), lesson.title)));
  for (std::string& line : wrap(lesson.summary, columns(terminal))) lines.push_back(std::move(line));
  lines.emplace_back();
  std::size_t name_width = 0;
  for (const RungInfo& rung : lesson.rungs) name_width = std::max(name_width, display_width(spoken(rung)));
  for (const RungInfo& rung : lesson.rungs) {
    const RungState state = state_of(progress, lesson, rung);
    const std::string note = state == RungState::changed        ? " (changed since it passed)"
                             : state == RungState::idea_missing ? " (right, without its idea)"
                                                                : "";
    const std::size_t indent = 2 + 2 + 6 + name_width + 2;
    const std::size_t room = std::max<std::size_t>(columns(terminal), indent + 20) - indent;
    const std::vector<std::string> about = wrap(rung.summary + note, room);
    lines.push_back(fmt::format("  {} {:<6}{}  {}", state_mark(state, terminal), lesson.id(rung),
                                terminal.paint(Tone::strong, pad_right(spoken(rung), name_width)),
                                about.front()));
    for (std::size_t i = 1; i < about.size(); ++i) lines.push_back(std::string(indent, ' ') + about[i]);
  }
  return lines;
}

std::optional<NextStep> next_step(const Course& course, const Progress& progress) {
  std::optional<NextStep> first, first_here;
  for (const LessonInfo& lesson : course.lessons) {
    bool here = false, after = false;
    for (const RungInfo& rung : lesson.rungs) here = here || progress.ran_last(lesson, rung);
    for (const RungInfo& rung : lesson.rungs) {
      const RungState state = state_of(progress, lesson, rung);
      after = after || progress.ran_last(lesson, rung);
      if (state == RungState::passed) continue;
      const NextStep step{&lesson, &rung, state};
      if (here && after) return step;
      if (here && !first_here) first_here = step;
      if (!first) first = step;
    }
  }
  return first_here ? first_here : first;
}

}  // namespace ladder::cli
