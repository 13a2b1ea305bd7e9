#include "grader/grade/engines/grading_plan.h"

#include <algorithm>

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

/// @p text with the line ends of Unix, without a byte order mark and without blanks at its end.
std::string normal(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::erase(text, '\r');
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

bool was_given_up(const fs::path& result) {
  const json saved = json::parse(read_file(result), nullptr, false);
  if (!saved.is_object() || !saved.contains("rungs")) return true;
  return std::any_of(saved["rungs"].begin(), saved["rungs"].end(),
                     [](const json& rung) { return rung.value("outcome", "") == "harness_failed"; });
}

/// Writes the units down, and in each which of its files are another's, too.
void save_units(const Grading& grading, std::map<std::string, Unit>& units) {
  std::map<std::string, int> uses;
  const auto name = [](const Unit& unit, const Unit::File& file) {
    return unit.lesson + " " + file.rung + " " + file.hash;
  };
  for (const auto& [key, unit] : units)
    for (const Unit::File& file : unit.files) ++uses[name(unit, file)];
  for (auto& [key, unit] : units) {
    for (Unit::File& file : unit.files) file.shared = uses[name(unit, file)] > 1;
    save_unit(grading, unit);
  }
}

}  // namespace

bool is_untouched(const LessonInfo& lesson, const RungInfo& rung, const std::string& contents) {
  return normal(contents) == normal(skeleton_of(lesson, rung));
}

std::vector<const LessonInfo*> lessons_that_count(const Course& course, const Policy& policy,
                                                  const std::vector<Submission>& submissions) {
  std::vector<const LessonInfo*> lessons;
  for (const LessonInfo& lesson : course.lessons) {
    const bool named =
        std::find(policy.lessons.begin(), policy.lessons.end(), lesson.name) != policy.lessons.end();
    const bool handed_in =
        std::any_of(submissions.begin(), submissions.end(), [&](const Submission& submission) {
          return std::any_of(submission.files.begin(), submission.files.end(), [&](const RungFile& file) {
            return file.lesson == &lesson && !is_untouched(lesson, *file.rung, file.contents);
          });
        });
    if (policy.lessons.empty() ? handed_in : named) lessons.push_back(&lesson);
  }
  return lessons;
}

GradingPlan make_grading_plan(const Grading& grading, const std::vector<const LessonInfo*>& lessons,
                              const std::vector<Submission>& submissions) {
  GradingPlan plan;
  plan.lessons = lessons;
  std::map<std::string, Unit> units;
  for (const LessonInfo* lesson : lessons) {
    const std::string print = fingerprint(grading, *lesson);
    for (const Submission& submission : submissions) {
      Unit unit;
      unit.lesson = lesson->name;
      std::string all = print + lesson->name;
      for (const RungFile& file : submission.files) {
        if (file.lesson != lesson || is_untouched(*lesson, *file.rung, file.contents)) continue;
        unit.files.push_back({file.rung->name, file.hash});
        all += "\n" + file.rung->name + " " + file.hash;
        if (!fs::exists(grading.source(file.hash))) write_file(grading.source(file.hash), file.contents);
      }
      if (unit.files.empty()) continue;
      unit.key = sha256(all);
      plan.unit_of[{submission.student, lesson->name}] = unit.key;
      if (!units.emplace(unit.key, unit).second) continue;
      plan.keys.push_back(unit.key);
      if (fs::exists(grading.result_file(unit.key)) && was_given_up(grading.result_file(unit.key)))
        fs::remove(grading.result_file(unit.key));
    }
  }
  save_units(grading, units);
  return plan;
}

}  // namespace ladder::cli::grade
