#include "grader/grade/publish/class_ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/grade/publish/class.css.h"
#include "grader/grade/publish/class_ladder.html.h"
#include "grader/grade/publish/outputs.h"
#include "simulator/lens/html_template.h"

namespace ladder::cli::grade {
using nlohmann::json;
namespace {

/// A rung's time, where it has one that counts; null otherwise.
json time_that_counts(const json& rung) {
  const json speed = rung.value("performance", json::object());
  const bool counts = rung["outcome"] == "passed" && speed.contains("time_ms") && !speed.contains("doubt");
  return counts ? speed : json();
}

/// Nanoseconds of a time would differ from run to run; four digits are what a time is good for.
std::string milliseconds(double time) { return fmt::format("{:.4g}", time); }

/// The fastest first. Who has the same four digits shares a place, and the next places are skipped.
json placed(std::vector<json> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const json& a, const json& b) { return a["time_ms"] < b["time_ms"]; });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool level =
        i > 0 && milliseconds(entries[i]["time_ms"]) == milliseconds(entries[i - 1]["time_ms"]);
    entries[i]["place"] = level ? entries[i - 1]["place"] : json(i + 1);
  }
  return entries;
}

const sim::lens::HtmlTemplate& ladder_template() {
  static const sim::lens::HtmlTemplate parsed(embedded::class_ladder_html);
  return parsed;
}

}  // namespace

json class_ladder(const std::vector<json>& students) {
  json ladder = json::array();
  if (students.empty()) return ladder;
  for (std::size_t l = 0; l < students.front()["lessons"].size(); ++l) {
    const json& lesson = students.front()["lessons"][l];
    for (std::size_t r = 0; r < lesson["rungs"].size(); ++r) {
      std::vector<json> entries;
      json speed;
      for (const json& student : students) {
        if (!student.contains("nickname")) continue;
        const json own = time_that_counts(student["lessons"][l]["rungs"][r]);
        if (own.is_null()) continue;
        entries.push_back(
            {{"nickname", student["nickname"]}, {"time_ms", own["time_ms"]}, {"ratio", own["ratio"]}});
        speed = own;
      }
      if (entries.empty()) continue;
      ladder.push_back({{"lesson", lesson["lesson"]},
                        {"title", lesson["title"]},
                        {"rung", lesson["rungs"][r]["rung"]},
                        {"size", speed["size"]},
                        {"modelled", speed["modelled"]},
                        {"places", placed(std::move(entries))}});
    }
  }
  return ladder;
}

std::string class_ladder_html(const json& all) {
  const auto part = [](std::string_view id, sim::lens::HtmlTemplate::Values values) {
    return ladder_template().part(id, values);
  };
  std::string content, lesson;
  for (const json& rung : all["class_ladder"]) {
    const std::string own = rung["title"];
    if (own != lesson) content += part("lesson", {{"title", own}});
    lesson = own;
    std::string rows;
    for (const json& entry : rung["places"])
      rows += part("row", {{"place", entry["place"].get<int>()},
                           {"nickname", entry["nickname"].get<std::string>()},
                           {"time", milliseconds(entry["time_ms"])},
                           {"ratio", fmt::format("{:.2f}", entry["ratio"].get<double>())}});
    const std::string size = rung["size"];
    content +=
        part("rung", {{"rung", rung["rung"].get<std::string>()},
                      {"size", size.empty() ? "" : ", at " + size},
                      {"clock", rung["modelled"].get<bool>() ? "modelled by the simulator" : "measured"},
                      {"rows", rows}});
  }
  if (content.empty()) content = part("nobody", {});
  const std::string title = all.value("title", "");
  return ladder_template().page({{"title", title.empty() ? "Class ladder" : title + ": class ladder"},
                                 {"style", embedded::class_css},
                                 {"content", content}});
}

std::string class_ladder_csv(const json& all) {
  std::string text = "lesson,rung,place,nickname,time_ms,of_solution,modelled\n";
  for (const json& rung : all["class_ladder"])
    for (const json& entry : rung["places"])
      text +=
          fmt::format("{},{},{},{},{},{:.3f},{}\n", csv_field(rung["lesson"]), csv_field(rung["rung"]),
                      entry["place"].get<int>(), csv_field(entry["nickname"]), milliseconds(entry["time_ms"]),
                      entry["ratio"].get<double>(), rung["modelled"].get<bool>() ? "yes" : "no");
  return text;
}

json gradescope_leaderboard(const json& student) {
  json columns = json::array();
  if (!student.contains("nickname")) return columns;
  for (const json& lesson : student["lessons"])
    for (const json& rung : lesson["rungs"])
      if (const json speed = time_that_counts(rung); !speed.is_null())
        columns.push_back({{"name", fmt::format("{} {} (ms)", lesson["lesson"].get<std::string>(),
                                                rung["rung"].get<std::string>())},
                           {"value", speed["time_ms"]},
                           {"order", "asc"}});
  return columns;
}

json autolab_scoreboard(const json& student) {
  json row = json::array({student["points"]});
  for (const json& lesson : student["lessons"])
    for (const json& rung : lesson["rungs"]) {
      const json speed = student.contains("nickname") ? time_that_counts(rung) : json();
      row.push_back(speed.is_null() ? 0.0 : std::round(1000 / speed["ratio"].get<double>()) / 1000);
    }
  return row;
}

json autolab_columns(const json& student) {
  json columns = json::array({{{"hdr", "points"}}});
  for (const json& lesson : student["lessons"])
    for (const json& rung : lesson["rungs"])
      columns.push_back({{"hdr", fmt::format("{} {} (x solution)", lesson["lesson"].get<std::string>(),
                                             rung["rung"].get<std::string>())}});
  return {{"scoreboard", columns}};
}

}  // namespace ladder::cli::grade
