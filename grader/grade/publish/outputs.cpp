#include "grader/grade/publish/outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/grade/publish/class_ladder.h"
#include "grader/grade/publish/results.h"
#include "grader/platform/files.h"
#include "simulator/lens/markup.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

using sim::lens::escaped;

std::string number(const json& value) { return fmt::format("{}", rounded(value.get<double>())); }

std::string late_sentence(const json& student) {
  const double days = student["late"]["days"], factor = student["late"]["factor"];
  if (!(days > 0)) return {};
  return fmt::format("{:.3g} days late: {:.0f} % of the points count.", days, 100 * factor);
}

}  // namespace

std::string csv_field(const std::string& text) {
  // Where a formula could begin: at the start, and behind what other spreadsheets take for the end of a cell.
  static constexpr std::string_view kFormulas[] = {"=",      "+",      "-",      "@",
                                                   "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  std::string safe;
  bool begins = true, quote = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      safe += ' ';
      continue;
    }
    const std::string_view rest = std::string_view(text).substr(i);
    if (begins && std::any_of(std::begin(kFormulas), std::end(kFormulas),
                              [&](std::string_view sign) { return rest.starts_with(sign); }))
      safe += '\'';
    const bool ends_a_cell = c == ',' || c == ';' || c == '"' || c == '|';
    quote |= ends_a_cell;
    begins = ends_a_cell || (begins && c == ' ');
    safe += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quote ? "\"" + safe + "\"" : safe;
}

std::string words_of(const json& rung) {
  std::string words = rung.value("headline", "");
  for (const char* key : {"detail", "advice"})
    if (const std::string more = rung.value(key, ""); !more.empty()) words += "\n" + more;
  if (const auto printed = rung.find("printed"); printed != rung.end() && !printed->empty()) {
    words += "\nprinted by the code:";
    for (const json& line : *printed) words += "\n  " + line.get<std::string>();
  }
  if (const auto speed = rung.find("performance"); speed != rung.end() && speed->contains("ratio"))
    words +=
        fmt::format("\n{:.4g} ms{}, {:.2f} times the solution's {:.4g} ms: {:.0f} % of the points for speed",
                    speed->at("time_ms").get<double>(), speed->value("modelled", false) ? " (modelled)" : "",
                    speed->at("ratio").get<double>(), speed->at("solution_ms").get<double>(),
                    100 * speed->at("credit").get<double>()) +
        (speed->contains("doubt") ? "\n" + speed->at("doubt").get<std::string>() : "");
  return words;
}

std::string gradebook_csv(const std::vector<json>& students) {
  std::string text = "student";
  if (students.empty()) return text + "\n";
  for (const json& lesson : students.front()["lessons"])
    text +=
        "," + csv_field(lesson["lesson"].get<std::string>() + " (" + number(lesson["points_possible"]) + ")");
  text += ",days late,total (" + number(students.front()["points_possible"]) + ")\n";
  for (const json& student : students) {
    text += csv_field(student["student"]);
    for (const json& lesson : student["lessons"]) text += "," + number(lesson["points"]);
    text += fmt::format(",{:.3g},", student["late"]["days"].get<double>()) + number(student["points"]) + "\n";
  }
  return text;
}

std::string junit_xml(const json& student) {
  std::string suites;
  int tests = 0, failures = 0, errors = 0;
  for (const json& lesson : student["lessons"]) {
    std::string cases;
    int own_failures = 0, own_skipped = 0, own_errors = 0;
    for (const json& rung : lesson["rungs"]) {
      const std::string outcome = rung["outcome"];
      cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", escaped(lesson["lesson"]),
                           escaped(rung["rung"]));
      if (outcome == "passed") {
        cases += "/>\n";
        continue;
      }
      const bool skip = outcome.starts_with("not_");
      const bool error = outcome == "harness_failed";
      const char* kind = skip ? "skipped" : error ? "error" : "failure";
      ++(skip ? own_skipped : error ? own_errors : own_failures);
      cases += fmt::format(">\n      <{} message=\"{}\"", kind, escaped(rung["headline"]));
      cases += skip ? "/>\n" : fmt::format(" type=\"{}\">{}</{}>\n", outcome, escaped(words_of(rung)), kind);
      cases += "    </testcase>\n";
    }
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\">\n{}  "
        "</testsuite>\n",
        escaped(lesson["lesson"]), lesson["rungs"].size(), own_failures, own_errors, own_skipped, cases);
    tests += static_cast<int>(lesson["rungs"].size());
    failures += own_failures;
    errors += own_errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" "
      "time=\"0\">\n{}</testsuites>\n",
      escaped(student["student"]), tests, failures, errors, suites);
}

json gradescope(const json& student) {
  json tests = json::array();
  for (const json& lesson : student["lessons"])
    for (const json& rung : lesson["rungs"])
      tests.push_back({{"name", lesson["lesson"].get<std::string>() + " " + rung["rung"].get<std::string>()},
                       {"score", rung["points"]},
                       {"max_score", rung["points_possible"]},
                       {"status", rung["outcome"] == "passed" ? "passed" : "failed"},
                       {"output", words_of(rung)},
                       {"output_format", "text"},
                       {"visibility", "visible"}});
  json result = {{"score", student["points"]}, {"output", late_sentence(student)}, {"output_format", "text"},
                 {"visibility", "visible"},    {"stdout_visibility", "hidden"},    {"tests", tests}};
  if (json columns = gradescope_leaderboard(student); !columns.empty())
    result["leaderboard"] = std::move(columns);
  return result;
}

json github_classroom(const json& student) {
  json tests = json::array();
  const double factor = student["late"]["factor"];  // the reporter adds the tests up
  bool all = true;
  for (const json& lesson : student["lessons"])
    for (const json& rung : lesson["rungs"]) {
      const std::string outcome = rung["outcome"];
      const bool passed = outcome == "passed";
      all &= passed;
      const char* status = passed ? "pass" : outcome == "harness_failed" ? "error" : "fail";
      tests.push_back({{"name", lesson["lesson"].get<std::string>() + " " + rung["rung"].get<std::string>()},
                       {"status", status},
                       {"message", passed ? json() : json(words_of(rung))},
                       {"test_code", ""},
                       {"filename", rung["rung"].get<std::string>() + ".cu"},
                       {"line_no", 0},
                       {"execution_time", nullptr},
                       {"score", rounded(rung["points"].get<double>() * factor)}});
    }
  return {{"version", 1},
          {"status", all ? "pass" : "fail"},
          {"max_score", student["points_possible"]},
          {"tests", tests}};
}

json autolab(const json& student, bool class_ladder) {
  json scores = json::object();
  const double factor = student["late"]["factor"];
  for (const json& lesson : student["lessons"])
    scores[lesson["lesson"].get<std::string>()] = rounded(lesson["points"].get<double>() * factor);
  return {{"scores", scores},
          {"scoreboard", class_ladder ? autolab_scoreboard(student) : json::array({student["points"]})}};
}

void write_outputs(const fs::path& out, const std::vector<std::string>& formats, const json& all,
                   const std::vector<json>& students) {
  const auto wanted = [&](const char* format) {
    return std::find(formats.begin(), formats.end(), format) != formats.end();
  };
  if (wanted("csv")) write_file(out / "gradebook.csv", gradebook_csv(students));
  if (wanted("html")) write_file(out / "class.html", class_html(all, students));
  if (all.contains("class_ladder")) {
    if (wanted("csv")) write_file(out / "class-ladder.csv", class_ladder_csv(all));
    if (wanted("html")) write_file(out / "class-ladder.html", class_ladder_html(all));
  }
  const auto dump = [](const json& json, int indent) {
    return json.dump(indent, ' ', false, json::error_handler_t::replace) + "\n";
  };
  for (const json& student : students) {
    const std::string name = file_name_for(student["student"]);
    if (wanted("junit")) write_file(out / "junit" / (name + ".xml"), junit_xml(student));
    if (wanted("gradescope"))
      write_file(out / "gradescope" / name / "results.json", dump(gradescope(student), 1));
    if (wanted("github")) write_file(out / "github" / (name + ".json"), dump(github_classroom(student), 1));
    if (wanted("autolab"))
      write_file(out / "autolab" / (name + ".json"),
                 dump(autolab(student, all.contains("class_ladder")), -1));
  }
  if (wanted("autolab") && all.contains("class_ladder") && !students.empty())
    write_file(out / "autolab-scoreboard.json", dump(autolab_columns(students.front()), 1));
}

}  // namespace ladder::cli::grade
