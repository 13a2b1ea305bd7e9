#include "grader/present/map_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/course/rung_files.h"
#include "grader/platform/failure.h"
#include "grader/present/detours.h"
#include "language/catalogue.h"

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

constexpr std::size_t kLeastTitle = 16;

/// "medium ~60 min"
std::string short_effort(const LessonInfo& lesson) {
  const std::string minutes = lesson.minutes > 0 ? fmt::format("~{} min", lesson.minutes) : "";
  if (lesson.difficulty.empty() && minutes.empty()) return {};
  return fmt::format("{:<6} {:>8}", lesson.difficulty, minutes);
}

std::size_t columns(const Terminal& terminal) { return static_cast<std::size_t>(terminal.width); }

/// Where the columns of the map stand.
struct MapColumns {
  std::size_t name = 0, marks = 12, effort = 0, hunts = 0;
};

std::string hunts_text(const HuntCounts& hunts, const LessonInfo& lesson) {
  const auto found = hunts.find(&lesson);
  return found == hunts.end() ? "" : fmt::format("{}/{}", found->second.mended, found->second.all);
}

MapColumns columns_of(const Course& course, const HuntCounts& hunts) {
  MapColumns widest;
  for (const LessonInfo& lesson : course.lessons) {
    widest.name = std::max(widest.name, lesson.short_name.size() + 3);
    widest.marks = std::max(widest.marks, lesson.rungs.size());
    widest.effort = std::max(widest.effort, short_effort(lesson).size());
    widest.hunts = std::max(widest.hunts, hunts_text(hunts, lesson).size());
  }
  return widest;
}

std::string lesson_line(const LessonInfo& lesson, const Progress& progress, const HuntCounts& hunts,
                        const MapColumns& width, const Terminal& terminal) {
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
  std::string line = fmt::format(
      "  {}  {} {}", terminal.paint(complete ? Tone::good : Tone::strong, pad_right(name, width.name)),
      pad_right(marks, width.marks), complete ? terminal.paint(Tone::good, count) : count);
  std::size_t used = 2 + width.name + 2 + width.marks + 1 + 5;
  if (width.effort > 0) {
    line += " " + terminal.paint(Tone::dim, pad_right(short_effort(lesson), width.effort));
    used += 1 + width.effort;
  }
  if (width.hunts > 0) {
    line += " " + pad_left(hunts_text(hunts, lesson), width.hunts);
    used += 1 + width.hunts;
  }
  // The title says the name again; where there is no room for most of it, it is left out.
  const std::size_t room = columns(terminal) > used + 2 ? columns(terminal) - used - 2 : 0;
  if (room >= kLeastTitle) line += "  " + shorten(lesson.title, room, terminal.unicode);
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string needs_text(const LessonInfo& lesson) {
  std::string all;
  for (const std::string& name : lesson.prerequisites) {
    const NumberedName parts = split_numbered(name);
    all += (all.empty() ? "" : ", ") +
           (parts.number < 0 ? name : fmt::format("{:02} {}", parts.number, parts.rest));
  }
  return all;
}

/// The states of all rungs, asked for once.
class Standing {
 public:
  Standing(const Course& course, const Progress& progress) : course_(course) {
    for (const LessonInfo& lesson : course.lessons)
      for (const RungInfo& rung : lesson.rungs) states_[&rung] = state_of(progress, lesson, rung);
  }
  bool passed(const RungInfo& rung) const { return states_.at(&rung) == RungState::passed; }
  bool passed(const LessonInfo& lesson) const {
    return std::all_of(lesson.rungs.begin(), lesson.rungs.end(),
                       [&](const RungInfo& rung) { return passed(rung); });
  }
  /// Whether all that a lesson builds on has passed; @p also counts as if it had. Names of no lesson count
  /// for nothing.
  bool ready(const LessonInfo& lesson, const LessonInfo* also = nullptr) const {
    return std::none_of(course_.lessons.begin(), course_.lessons.end(), [&](const LessonInfo& other) {
      const auto& needed = lesson.prerequisites;
      return &other != also && std::find(needed.begin(), needed.end(), other.name) != needed.end() &&
             !passed(other);
    });
  }
  /// The first unpassed rung among those from @p begin to @p end of a lesson.
  std::optional<NextStep> first(const LessonInfo& lesson, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i)
      if (!passed(lesson.rungs[i])) return NextStep{&lesson, &lesson.rungs[i], states_.at(&lesson.rungs[i])};
    return std::nullopt;
  }
  std::optional<NextStep> first(const LessonInfo& lesson) const {
    return first(lesson, 0, lesson.rungs.size());
  }
  /// The first unpassed rung of the first lesson that is ready; of any lesson where none is.
  std::optional<NextStep> first_ready() const {
    std::optional<NextStep> any;
    for (const LessonInfo& lesson : course_.lessons) {
      const std::optional<NextStep> here = first(lesson);
      if (here && ready(lesson)) return here;
      if (!any) any = here;
    }
    return any;
  }
  /// What comes when a rung has passed.
  std::optional<NextStep> after_pass(const LessonInfo& lesson, std::size_t at) const {
    if (const auto later = first(lesson, at + 1, lesson.rungs.size())) return later;
    if (const auto earlier = first(lesson, 0, at)) return earlier;
    return first_ready();
  }
  /// What comes when a rung is left for later.
  std::optional<NextStep> after_skip(const LessonInfo& lesson, std::size_t at) const {
    if (const auto later = first(lesson, at + 1, lesson.rungs.size())) return later;
    const auto here = static_cast<std::size_t>(&lesson - course_.lessons.data());
    std::optional<NextStep> any;
    for (std::size_t i = 1; i < course_.lessons.size(); ++i) {
      const LessonInfo& other = course_.lessons[(here + i) % course_.lessons.size()];
      const std::optional<NextStep> there = first(other);
      if (there && ready(other, &lesson)) return there;
      if (!any) any = there;
    }
    const std::optional<NextStep> earlier = first(lesson, 0, at);
    return earlier ? earlier : any;
  }

 private:
  const Course& course_;
  std::map<const RungInfo*, RungState> states_;
};

}  // namespace

std::string state_mark(RungState state, const Terminal& terminal) {
  const Look shape = look(state);
  return terminal.paint(shape.tone, terminal.unicode ? shape.unicode : shape.ascii);
}

std::string state_words(RungState state) {
  switch (state) {
    case RungState::passed:
      return tr("passed");
    case RungState::changed:
      return tr("changed since it passed");
    case RungState::idea_missing:
      return tr("right, without its idea");
    case RungState::failed:
      return tr("failed");
    case RungState::started:
      return tr("begun");
    case RungState::untouched:
      break;
  }
  return tr("untouched");
}

std::string effort_text(const LessonInfo& lesson) {
  const std::string minutes = lesson.minutes > 0 ? fmt::format("about {} min", lesson.minutes) : "";
  return lesson.difficulty + (lesson.difficulty.empty() || minutes.empty() ? "" : ", ") + minutes;
}

HuntCount sum_of(const HuntCounts& counts) {
  HuntCount sum;
  for (const auto& [lesson, count] : counts) {
    sum.all += count.all;
    sum.found += count.found;
    sum.mended += count.mended;
  }
  return sum;
}

std::vector<std::string> lessons_view(const Course& course, const Progress& progress, const HuntCounts& hunts,
                                      const Terminal& terminal) {
  std::vector<std::string> lines;
  const MapColumns width = columns_of(course, hunts);
  std::string part;
  for (const LessonInfo& lesson : course.lessons) {
    if (lesson.part != part) lines.push_back(terminal.paint(Tone::accent, part = lesson.part));
    lines.push_back(lesson_line(lesson, progress, hunts, width, terminal));
  }
  std::string legend;
  if (width.effort > 0) legend = "minutes: the authors' estimates, a whole lesson";
  if (width.hunts > 0)
    legend += std::string(legend.empty() ? "" : "; ") + "at the end: kernels mended (ladder hunt)";
  if (!legend.empty()) add_wrapped(lines, legend, "  ", terminal, Tone::dim);
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
  if (const std::string effort = effort_text(lesson); !effort.empty())
    add_wrapped(lines, effort + (lesson.minutes > 0 ? " (the authors' estimate)" : ""), "", terminal,
                Tone::dim);
  if (const std::string needs = needs_text(lesson); !needs.empty())
    add_wrapped(lines, "builds on " + needs, "", terminal, Tone::dim);
  lines.emplace_back();
  std::size_t name_width = 0;
  const auto name_of = [&](const RungInfo& rung) {
    return spoken(rung) + (rung.detour.empty() ? "" : " " + detour_mark(terminal));
  };
  for (const RungInfo& rung : lesson.rungs) name_width = std::max(name_width, display_width(name_of(rung)));
  for (const RungInfo& rung : lesson.rungs) {
    const RungState state = state_of(progress, lesson, rung);
    const bool noted = state == RungState::changed || state == RungState::idea_missing;
    const std::string note = noted ? " (" + state_words(state) + ")" : "";
    const std::size_t indent = 2 + 2 + 6 + name_width + 2;
    const std::size_t room = std::max<std::size_t>(columns(terminal), indent + 20) - indent;
    const std::vector<std::string> about = wrap(rung.summary + note, room);
    lines.push_back(fmt::format("  {} {:<6}{}  {}", state_mark(state, terminal), lesson.id(rung),
                                terminal.paint(Tone::strong, pad_right(name_of(rung), name_width)),
                                about.front()));
    for (std::size_t i = 1; i < about.size(); ++i) lines.push_back(std::string(indent, ' ') + about[i]);
  }
  std::vector<std::string> detours;
  for (const RungInfo& rung : lesson.rungs) append_detour(detours, lesson, rung, terminal);
  if (!detours.empty()) lines.emplace_back();
  lines.insert(lines.end(), detours.begin(), detours.end());
  return lines;
}

std::optional<NextStep> next_step(const Course& course, const Progress& progress) {
  const Standing standing(course, progress);
  for (const LessonInfo& lesson : course.lessons)
    for (std::size_t i = 0; i < lesson.rungs.size(); ++i) {
      if (!progress.ran_last(lesson, lesson.rungs[i])) continue;
      const auto same = standing.first(lesson, i, i + 1);
      return same ? same : standing.after_pass(lesson, i);
    }
  return standing.first_ready();
}

Selection rung_to_work_on(const Course& course, const Progress& progress, const std::string& text) {
  if (text.empty()) {
    if (const auto step = next_step(course, progress)) return {step->lesson, {step->rung}, true};
    if (course.lessons.empty()) throw Failure(ExitCode::environment, "there are no lessons here");
    return {&course.lessons.front(), {&course.lessons.front().rungs.front()}, true};
  }
  Selection selection = find_selection(course, text);
  if (selection.one_rung) return selection;
  Course only;
  only.lessons.push_back(*selection.lesson);
  const auto step = next_step(only, progress);
  const auto at = step ? static_cast<std::size_t>(step->rung - only.lessons.front().rungs.data()) : 0;
  return {selection.lesson, {&selection.lesson->rungs[at]}, true};
}

std::optional<NextStep> step_after(const Course& course, const Progress& progress, const LessonInfo& lesson,
                                   const RungInfo& rung) {
  const Standing standing(course, progress);
  const auto at = static_cast<std::size_t>(&rung - lesson.rungs.data());
  return standing.passed(rung) ? standing.after_pass(lesson, at) : standing.after_skip(lesson, at);
}

}  // namespace ladder::cli
