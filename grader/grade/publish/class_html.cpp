// The instructor's page: one HTML file that needs no network and no script.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "grader/grade/publish/outputs.h"
#include "grader/grade/publish/results.h"
#include "simulator/lens/markup.h"

namespace ladder::cli::grade {
using nlohmann::json;
namespace {

using sim::lens::escaped;

/// What became of a rung, in the five kinds that the page tells apart.
struct Kind {
  const char* name;
  const char* mark;  ///< nothing is told by colour alone
  const char* words;
};
constexpr Kind kKinds[] = {
    {"passed", "\u2713", "passed"},           {"failed", "\u2717", "failed"},
    {"unjudged", "?", "could not be judged"}, {"untouched", "\u2013", "not attempted"},
    {"missing", "", "not handed in"},
};

const Kind& kind_of(const std::string& outcome) {
  if (outcome == "passed") return kKinds[0];
  if (outcome == "harness_failed" || outcome == "not_run") return kKinds[2];
  if (outcome == "not_attempted") return kKinds[3];
  if (outcome == "not_submitted") return kKinds[4];
  return kKinds[1];
}

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--back:#fff;--text:#1c2024;--dim:#5b6570;--line:#d9dee3;--passed:#1a7f45;
--failed:#c02f2f;--unjudged:#9a6700;--untouched:#8b95a0;--missing:#eceff2}
@media(prefers-color-scheme:dark){:root{--back:#15181b;--text:#e6e9ec;--dim:#98a2ac;--line:#343b42;--passed:#3fb96f;
--failed:#f0625f;--unjudged:#d9a031;--untouched:#6d7680;--missing:#252a2f}}
body{background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:72rem;
padding:1.5rem}
h1{font-size:1.5rem;margin:0 0 .2rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
p,li{color:var(--dim)}.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .5rem;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
td.n,th.n{text-align:right}td.who{white-space:normal;overflow-wrap:anywhere;min-width:8rem;max-width:18rem}
li{overflow-wrap:anywhere}td.bar{width:22rem;min-width:12rem}
.bar>div{display:flex;height:1rem;border-radius:3px;overflow:hidden;background:var(--missing)}
.bar span{display:block}
.passed{--c:var(--passed)}.failed{--c:var(--failed)}.unjudged{--c:var(--unjudged)}.untouched{--c:var(--untouched)}
.missing{--c:var(--missing)}.bar span,.key i{background:var(--c)}
.cells{letter-spacing:.1em}.cells b{color:var(--c);font-weight:700;display:inline-block;width:1.1em;text-align:center}
.cells b.missing{color:var(--untouched)}.cells b.missing::before{content:"\00b7"}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0}
.key i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.35rem}
li strong{color:var(--text)}
.stuck{columns:2;column-gap:2rem;padding-left:1.1rem}@media(max-width:40rem){.stuck{columns:1}
body{padding:1rem}th,td{padding:.2rem .3rem}
td.bar{width:3rem;min-width:3rem}}.wide:focus-visible{outline:2px solid var(--dim)}td a{color:inherit}
@media print{body{max-width:none;print-color-adjust:exact}.wide{overflow:visible}tr,li{break-inside:avoid}}
)";

std::string points(double value) { return fmt::format("{}", rounded(value)); }
std::string days(double value) { return fmt::format("{:.3g}", value); }

std::string key() {
  std::string list = "<ul class=\"key\">";
  for (const Kind& kind : kKinds)
    list += fmt::format("<li><i class=\"{}\"></i>{} {}</li>", kind.name, kind.mark, kind.words);
  return list + "</ul>\n";
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
      bar += fmt::format("<span class=\"{}\" style=\"width:{:.2f}%\"></span>", kind.name,
                         100 * count / class_size);
    }
    const std::string own = rung["lesson"];
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"bar\"><div role=\"img\" aria-label=\"{}\" "
        "title=\"{}\">{}</div></td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        own == lesson ? "" : escaped(own), escaped(rung["rung"]), words, words, bar, counts["passed"],
        counts["failed"]);
    lesson = own;
  }
  return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"How each rung "
         "went\"><table><thead><tr><th>Lesson</th><th>Rung</th><th>Class</th><th "
         "class=\"n\">Passed</th><th class=\"n\">Failed</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

/// Of each student the first rung that was tried and did not pass, gathered by rung and by what was wrong.
std::string stuck(const std::vector<json>& students) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> places;
  for (const json& student : students)
    for (const json& lesson : student["lessons"])
      for (const json& rung : lesson["rungs"])
        if (&kind_of(rung["outcome"]) == &kKinds[1]) {
          std::string what = rung.value("headline", "");
          places[lesson["lesson"].get<std::string>() + " " + rung["rung"].get<std::string>()][what].push_back(
              student["student"]);
          break;  // the next lesson
        }
  if (places.empty()) return "<p>Nobody is stuck: every rung that was tried passed.</p>\n";
  std::string text;
  for (const auto& [rung, causes] : places) {
    text += fmt::format("<h3>{}</h3>\n<ul class=\"stuck\">\n", escaped(rung));
    for (const auto& [cause, names] : causes) {
      std::string who;
      for (const std::string& name : names) who += (who.empty() ? "" : ", ") + escaped(name);
      text += fmt::format("<li>{}: <strong>{}</strong></li>\n", escaped(cause), who);
    }
    text += "</ul>\n";
  }
  return text;
}

std::string everybody(const std::vector<json>& students) {
  std::string head = "<tr><th>Student</th>";
  for (const json& lesson : students.front()["lessons"])
    head += fmt::format("<th title=\"{}\">{}</th>", escaped(lesson["title"]), escaped(lesson["lesson"]));
  head += "<th class=\"n\">Days late</th><th class=\"n\">Points</th></tr>";
  std::string rows;
  for (const json& student : students) {
    rows += fmt::format("<tr><td class=\"who\"><a href=\"students/{}.json\">{}</a>{}</td>",
                        file_name_for(student["student"]), escaped(student["student"]),
                        student["needs_attention"].get<bool>() ? " <b title=\"needs a look\">!</b>" : "");
    for (const json& lesson : student["lessons"]) {
      rows += "<td class=\"cells\">";
      for (const json& rung : lesson["rungs"]) {
        const Kind& kind = kind_of(rung["outcome"]);
        rows += fmt::format("<b class=\"{}\" title=\"{}: {}\">{}</b>", kind.name, escaped(rung["rung"]),
                            escaped(rung.value("headline", kind.words)), kind.mark);
      }
      rows += "</td>";
    }
    rows += fmt::format("<td class=\"n\">{}</td><td class=\"n\">{} / {}</td></tr>\n",
                        days(student["late"]["days"]), points(student["points"]),
                        points(student["points_possible"]));
  }
  return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Everybody\"><table><thead>" + head +
         "</thead><tbody>\n" + rows + "</tbody></table></div>\n";
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
    for (const std::string& reason : reasons) all += (all.empty() ? "" : "<br>") + escaped(reason);
    rows += fmt::format("<li><strong>{}</strong><br>{}</li>\n", escaped(student["student"]), all);
  }
  if (rows.empty()) return {};
  return "<h2>What needs a look</h2>\n<ul>\n" + rows + "</ul>\n";
}

/// Median and quartiles of the points.
std::string summary(const json& all, const std::vector<json>& students) {
  std::vector<double> sorted;
  for (const json& student : students) sorted.push_back(student["points"]);
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
  };
  return fmt::format(
      "<p>{} students, graded on {}{}. Points of {}: median {}, half of the class between {} and {}.</p>\n",
      students.size(), all["machine"] == "gpu" ? "a GPU" : "the simulator",
      all["sandboxed"].get<bool>() ? "" : ", <strong>without a sandbox</strong>",
      points(students.front()["points_possible"]), points(at(0.5)), points(at(0.25)), points(at(0.75)));
}

}  // namespace

std::string class_html(const json& all, const std::vector<json>& students) {
  const std::string given = all.value("title", "");
  const std::string title = escaped(given.empty() ? "Class overview" : given);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{}</title><style>{}</style></head><body><main>\n"
      "<h1>{}</h1>\n",
      title, kStyle, title);
  if (students.empty()) return page + "<p>No students.</p></main></body></html>\n";
  page += summary(all, students) + key();
  page += "<h2>How each rung went</h2>\n" + distribution(all);
  page +=
      "<h2>Who is stuck where</h2>\n<p>Of each student and lesson the first rung that was tried and did not "
      "pass.</p>\n" +
      stuck(students);
  page +=
      "<h2>Everybody</h2>\n<p>One mark a rung, in the order of the lesson; point at it for its "
      "verdict.</p>\n" +
      everybody(students);
  page += to_look_at(students);
  return page + "</main></body></html>\n";
}

}  // namespace ladder::cli::grade
