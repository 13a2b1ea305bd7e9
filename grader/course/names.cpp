#include "grader/course/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numeric>

#include "grader/platform/failure.h"

namespace ladder::cli {
namespace {

/// Edits (insert, delete, replace, swap of neighbours) between two words.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    std::swap(last, row);
  }
  return last[b.size()];
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 4 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::string did_you_mean(const std::vector<std::string>& names) {
  return names.empty() ? std::string() : fmt::format("Did you mean {}?\n", fmt::join(names, " or "));
}

const LessonInfo* lesson_or_null(const Course& course, std::string_view text) {
  for (const LessonInfo& lesson : course.lessons)
    if (text == lesson.name || text == lesson.short_name) return &lesson;
  if (is_number(text))
    for (const LessonInfo& lesson : course.lessons)
      if (lesson.number == std::stoi(std::string(text))) return &lesson;
  const LessonInfo* found = nullptr;
  if (text.size() < 3) return nullptr;
  for (const LessonInfo& lesson : course.lessons) {
    if (!lesson.short_name.starts_with(text)) continue;
    if (found != nullptr) return nullptr;
    found = &lesson;
  }
  return found;
}

const RungInfo* rung_or_null(const LessonInfo& lesson, std::string_view text) {
  for (const RungInfo& rung : lesson.rungs)
    if (text == rung.name || text == rung.idea) return &rung;
  if (is_number(text))
    for (const RungInfo& rung : lesson.rungs)
      if (rung.number == std::stoi(std::string(text))) return &rung;
  return nullptr;
}

[[noreturn]] void no_such_rung(const LessonInfo& lesson, std::string_view text) {
  std::vector<std::string> known, ideas;
  for (const RungInfo& rung : lesson.rungs) {
    known.push_back(rung.name);
    known.push_back(rung.idea);
  }
  std::vector<std::string> near = nearest(text, known);
  for (std::string& name : near) name = fmt::format("{}.{}", lesson.id(), name);
  const std::string range = lesson.rungs.empty()
                                ? ""
                                : fmt::format(" (its rungs: {} to {})", lesson.id(lesson.rungs.front()),
                                              lesson.id(lesson.rungs.back()));
  throw Failure(ExitCode::usage, fmt::format("lesson {} has no rung \"{}\"{}", lesson.name, text, range),
                did_you_mean(near) + fmt::format("./ladder list {} shows its rungs.", lesson.id()));
}

/// A word that is no lesson may be a rung, typed without its lesson. Returns where it resembles none.
void suggest_rungs(const Course& course, std::string_view name) {
  std::vector<std::string> ideas, near;
  for (const LessonInfo& lesson : course.lessons)
    for (const RungInfo& rung : lesson.rungs) ideas.push_back(rung.idea);
  const std::vector<std::string> alike = nearest(name, ideas);
  for (const LessonInfo& lesson : course.lessons)
    for (const RungInfo& rung : lesson.rungs)
      if (near.size() < 3 && std::find(alike.begin(), alike.end(), rung.idea) != alike.end())
        near.push_back(fmt::format("{} {}", lesson.id(rung), rung.idea));
  if (!near.empty())
    throw Failure(ExitCode::usage, fmt::format("no lesson is called \"{}\"", name), did_you_mean(near));
}

Selection whole(const LessonInfo& lesson) {
  Selection selection;
  selection.lesson = &lesson;
  for (const RungInfo& rung : lesson.rungs) selection.rungs.push_back(&rung);
  return selection;
}

/// "lessons/09_reduction/3_interleaved.cu" and "./solutions/09_reduction/" lose what is not a name.
std::string without_path(std::string_view text) {
  std::string name(text);
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  if (name.ends_with(".cu")) name.resize(name.size() - 3);
  const std::filesystem::path path(name);
  const std::string last = path.filename().string(), parent = path.parent_path().filename().string();
  if (split_numbered(parent).number >= 0) return parent + "/" + last;
  return split_numbered(last).number >= 0 ? last : name;
}

}  // namespace

std::vector<std::string> nearest(std::string_view typed, const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> scored;
  for (const std::string& name : known) {
    const std::size_t edits = distance(typed, name);
    if (edits <= std::max<std::size_t>(1, std::min(typed.size(), name.size()) / 3))
      scored.emplace_back(edits, name);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [edits, name] : scored) {
    // Names much worse than the best one are noise, not help.
    if (names.size() == 3 || edits > scored.front().first + 1) break;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

const LessonInfo& find_lesson(const Course& course, std::string_view text) {
  const std::string name = without_path(text);
  if (const LessonInfo* lesson = lesson_or_null(course, name)) return *lesson;
  std::vector<std::string> known;
  for (const LessonInfo& lesson : course.lessons) {
    known.push_back(lesson.short_name);
    known.push_back(lesson.name);
  }
  std::vector<std::string> near = nearest(name, known);
  // Only one spelling of the same lesson is worth showing.
  for (auto it = near.begin(); it != near.end();) {
    const NumberedName parts = split_numbered(*it);
    it = parts.number >= 0 && std::find(near.begin(), near.end(), parts.rest) != near.end() ? near.erase(it)
                                                                                            : it + 1;
  }
  for (const CourseProblem& problem : course.problems) {
    const std::string folder = problem.file.parent_path().filename().string();
    const NumberedName parts = split_numbered(folder);
    if (name == folder || name == parts.rest || (is_number(name) && std::stoi(name) == parts.number))
      throw Failure(ExitCode::environment, problem.text(),
                    "The lesson's description cannot be read; mend it, or get the file again.");
  }
  throw Failure(ExitCode::usage, fmt::format("no lesson is called \"{}\"", text),
                did_you_mean(near) + "./ladder list shows them all.");
}

Selection find_selection(const Course& course, std::string_view text) {
  const std::string name = without_path(text);
  if (const LessonInfo* lesson = lesson_or_null(course, name)) return whole(*lesson);
  const std::size_t cut = name.find_first_of("./");
  if (cut != std::string::npos) {
    const LessonInfo& lesson = find_lesson(course, name.substr(0, cut));
    const std::string rest = name.substr(cut + 1);
    const RungInfo* rung = rung_or_null(lesson, rest);
    if (rung == nullptr) no_such_rung(lesson, rest);
    return {&lesson, {rung}, true};
  }
  Selection found;
  int lessons_with_it = 0;
  for (const LessonInfo& lesson : course.lessons) {
    for (const RungInfo& rung : lesson.rungs) {
      if (rung.name != name) continue;
      found = {&lesson, {&rung}, true};
      ++lessons_with_it;
    }
  }
  if (lessons_with_it == 1) return found;
  if (lesson_or_null(course, name) == nullptr) suggest_rungs(course, name);
  return whole(find_lesson(course, text));
}

Selection find_rung(const Course& course, std::string_view text) {
  Selection selection = find_selection(course, text);
  if (selection.one_rung) return selection;
  const LessonInfo& lesson = *selection.lesson;
  throw Failure(ExitCode::usage, fmt::format("\"{}\" is a whole lesson; name one of its rungs", text),
                fmt::format("For example {}.{}; ./ladder list {} shows them.", lesson.id(),
                            lesson.rungs.front().number, lesson.id()));
}

}  // namespace ladder::cli
