// The instructor's page: one HTML file that needs no network and no script.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "grader/grade/publish/class.css.h"
#include "grader/grade/publish/class.html.h"
#include "grader/grade/publish/outputs.h"
#include "grader/grade/publish/results.h"
#include "simulator/lens/html_template.h"

namespace ladder::cli::grade {
using nlohmann::json;
namespace {

using sim::lens::HtmlTemplate;

const HtmlTemplate& class_template() {
  static const HtmlTemplate parsed(embedded::class_html);
  return parsed;
}

std::string part(std::string_view id, HtmlTemplate::Values values) {
  return class_template().part(id, values);
}

std::string words_in(const json& text) { return text.get<std::string>(); }

/// What became of a rung, in the six kinds that the page tells apart.
struct Kind {
  const char* name;
  const char* mark;  ///< nothing is told by colour alone
  const char* words;
};
constexpr Kind kKinds[] = {
    {"passed", "\u2713", "passed"},           {"without", "\u25d0", "right without its idea"},
    {"failed", "\u2717", "failed"},           {"unjudged", "?", "could not be judged"},
    {"untouched", "\u2013", "not attempted"}, {"missing", "", "not handed in"},
};
constexpr const Kind& kFailed = kKinds[2];

const Kind& kind_of(const std::string& outcome) {
  if (outcome == "passed") return kKinds[0];
  if (outcome == "idea_missing") return kKinds[1];
  if (outcome == "harness_failed" || outcome == "not_run") return kKinds[3];
  if (outcome == "not_attempted") return kKinds[4];
  if (outcome == "not_submitted") return kKinds[5];
  return kFailed;
}

std::string points(double value) { return fmt::format("{}", rounded(value)); }
std::string days(double value) { return fmt::format("{:.3g}", value); }

std::string key() {
  std::string list;
  for (const Kind& kind : kKinds)
    list += part("key", {{"kind", kind.name}, {"mark", kind.mark}, {"words", kind.words}});
  return list;
}

/// How each rung went: a bar of the class, in the order of the kinds.
std::string distribution(const json& all) {
  const double class_size = static_cast<double>(all["students"].size());
  std::string rows, lesson;
  for (const json& rung : all["rungs"]) {
    std::map<std::string, int> counts;
    for (const auto& [outcome, count] : rung["outcomes"].items())
      counts[kind_of(outcome).name] += count.get<int>();
    std::string bar, words;
    for (const Kind& kind : kKinds) {
      const int count = counts[kind.name];
      if (count == 0) continue;
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, kind.words);
      bar +=
          part("share", {{"kind", kind.name}, {"percent", fmt::format("{:.2f}", 100 * count / class_size)}});
    }
    const std::string own = rung["lesson"];
    rows += part("rung", {{"lesson", own == lesson ? "" : own},
                          {"rung", words_in(rung["rung"])},
                          {"words", words},
                          {"bar", bar},
                          {"passed", counts["passed"]},
                          {"failed", counts["failed"]}});
    lesson = own;
  }
  return rows;
}

/// Of each student the first rung that was tried and did not pass, gathered by rung and by what was wrong.
std::string stuck(const std::vector<json>& students) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> places;
  for (const json& student : students)
    for (const json& lesson : student["lessons"])
      for (const json& rung : lesson["rungs"])
        if (&kind_of(rung["outcome"]) == &kFailed) {
          std::string what = rung.value("headline", "");
          places[lesson["lesson"].get<std::string>() + " " + rung["rung"].get<std::string>()][what].push_back(
              student["student"]);
          break;  // the next lesson
        }
  if (places.empty()) return part("nobody is stuck", {});
  std::string text;
  for (const auto& [rung, causes] : places) {
    std::string list;
    for (const auto& [cause, names] : causes)
      list += part("cause", {{"cause", cause}, {"names", fmt::format("{}", fmt::join(names, ", "))}});
    text += part("stuck at", {{"rung", rung}, {"causes", list}});
  }
  return text;
}

/// The heads of the lessons' columns.
std::string lessons_of(const json& student) {
  std::string head;
  for (const json& lesson : student["lessons"])
    head += part("lesson", {{"title", words_in(lesson["title"])}, {"lesson", words_in(lesson["lesson"])}});
  return head;
}

std::string everybody(const std::vector<json>& students) {
  std::string rows;
  for (const json& student : students) {
    std::string lessons;
    for (const json& lesson : student["lessons"]) {
      std::string cells;
      for (const json& rung : lesson["rungs"]) {
        const Kind kind = kind_of(rung["outcome"]);
        cells += part("cell", {{"kind", kind.name},
                               {"rung", words_in(rung["rung"])},
                               {"words", rung.value("headline", kind.words)},
                               {"mark", kind.mark}});
      }
      lessons += part("cells", {{"cells", cells}});
    }
    rows +=
        part("student", {{"file", file_name_for(student["student"])},
                         {"student", words_in(student["student"])},
                         {"attention", student["needs_attention"].get<bool>() ? part("attention", {}) : ""},
                         {"lessons", lessons},
                         {"days", days(student["late"]["days"])},
                         {"points", points(student["points"])},
                         {"possible", points(student["points_possible"])}});
  }
  return rows;
}

/// What was handed in and could not be taken or judged, and times that are not believed, by student.
std::string to_look_at(const std::vector<json>& students) {
  std::string rows;
  for (const json& student : students) {
    std::vector<std::string> reasons;
    if (student.contains("problem")) reasons.push_back(student["problem"]);
    for (const json& file : student["ignored"])
      reasons.push_back(file["path"].get<std::string>() +
                        " was not taken: " + file["why"].get<std::string>());
    for (const json& lesson : student["lessons"])
      for (const json& rung : lesson["rungs"]) {
        const std::string name = lesson["lesson"].get<std::string>() + " " + rung["rung"].get<std::string>();
        if (&kind_of(rung["outcome"]) == &kKinds[2])
          reasons.push_back(name + ": " + rung.value("headline", ""));
        if (const json speed = rung.value("performance", json::object()); speed.contains("doubt"))
          reasons.push_back(name + ": " + speed["doubt"].get<std::string>());
      }
    if (reasons.empty()) continue;
    std::string all;
    for (const std::string& reason : reasons) all += part("reason", {{"reason", reason}});
    rows += part("reasons", {{"student", words_in(student["student"])}, {"reasons", all}});
  }
  return rows.empty() ? rows : part("to look at", {{"rows", rows}});
}

/// All of the class: median and quartiles of the points, then the sections.
std::string content(const json& all, const std::vector<json>& students) {
  if (students.empty()) return part("nobody", {});
  std::vector<double> sorted;
  for (const json& student : students) sorted.push_back(student["points"]);
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return points(sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)]);
  };
  return part("class", {{"students", students.size()},
                        {"machine", all["machine"] == "gpu" ? "a GPU" : "the simulator"},
                        {"open", all["sandboxed"].get<bool>() ? "" : part("open", {})},
                        {"possible", points(students.front()["points_possible"])},
                        {"median", at(0.5)},
                        {"lower", at(0.25)},
                        {"upper", at(0.75)},
                        {"key", key()},
                        {"distribution", distribution(all)},
                        {"stuck", stuck(students)},
                        {"lessons", lessons_of(students.front())},
                        {"everybody", everybody(students)},
                        {"to_look_at", to_look_at(students)}});
}

}  // namespace

std::string class_html(const json& all, const std::vector<json>& students) {
  const std::string given = all.value("title", "");
  return class_template().page({{"title", given.empty() ? "Class overview" : given},
                                {"style", embedded::class_css},
                                {"content", content(all, students)}});
}

}  // namespace ladder::cli::grade
