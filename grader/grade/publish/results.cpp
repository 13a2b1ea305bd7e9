#include "grader/grade/publish/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "grader/grade/publish/class_ladder.h"
#include "grader/grade/sandbox/clock.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"
#include "grader/platform/terminal.h"

namespace ladder::cli::grade {
using nlohmann::json;
namespace {

/// Results of units, by key; each file is read once.
class Results {
 public:
  explicit Results(const Grading& grading) : grading_(grading) {}
  json verdict(const std::string& key, const std::string& rung) {
    auto& unit = units_[key];
    if (unit.is_null()) unit = json::parse(read_file(grading_.result_file(key)));
    device = unit.value("device", json::object());
    for (const json& one : unit.at("rungs"))
      if (one.at("rung") == rung) return one;
    return {};
  }
  json device;

 private:
  const Grading& grading_;
  std::map<std::string, json> units_;
};

/// The part of the points that is for speed. Where the solution has no time, nobody's speed counts.
struct Speed {
  double share = 0;   ///< of the rung's points
  double credit = 0;  ///< of that share
  json told;
};
Speed speed_of(const Policy& policy, const json& verdict) {
  Speed speed;
  if (policy.performance_share <= 0 || !verdict.contains("solution_ms")) return speed;
  const Clocked solution{verdict["solution_ms"], verdict.value("solution_beside_ms", 0.0)};
  if (!(solution.median_ms > 0)) return speed;
  speed.share = policy.performance_share;
  speed.told = {{"solution_ms", solution.median_ms}, {"share", speed.share}, {"credit", 0.0}};
  if (!verdict.contains("timing")) return speed;
  const json& timing = verdict["timing"];
  const Clocked own{timing.at("median_ms"), timing.value("beside_ms", 0.0)};
  if (!(own.median_ms > 0)) return speed;
  if (const std::string why_not = doubt(own, solution); why_not.empty())
    speed.credit = policy.credit_for(own.median_ms / solution.median_ms);
  else
    speed.told["doubt"] = why_not;
  speed.told.update({{"time_ms", own.median_ms},
                     {"ratio", own.median_ms / solution.median_ms},
                     {"credit", speed.credit},
                     {"modelled", timing.value("modelled", false)},
                     {"size", timing.value("size", "")}});
  return speed;
}

void add_words(json& rung, const json& verdict) {
  for (const char* key : {"headline", "detail", "advice"})
    rung[key] = without_controls(verdict.value(key, ""));
  rung["printed"] = verdict.value("printed", json::array());
  rung["cases_passed"] = verdict.value("cases_passed", 0);
  rung["cases_total"] = verdict.value("cases_total", 0);
}

json rung_result(const Policy& policy, const GradingPlan& plan, const Submission& submission,
                 const LessonInfo& lesson, const RungInfo& rung, Results& results) {
  const double possible = policy.points_of(lesson, rung);
  json told = {
      {"rung", rung.name}, {"summary", rung.summary}, {"points", 0.0}, {"points_possible", possible}};
  const auto file = std::find_if(submission.files.begin(), submission.files.end(),
                                 [&](const RungFile& f) { return f.rung == &rung; });
  if (file == submission.files.end()) {
    told["outcome"] = "not_submitted";
    told["headline"] = "no file was handed in for this rung";
    return told;
  }
  told["file"] = {
      {"path", without_controls(file->path)}, {"sha256", file->hash}, {"bytes", file->contents.size()}};
  if (is_untouched(lesson, rung, file->contents)) {
    told["outcome"] = "not_attempted";
    told["headline"] = "the file is as the course came";
    return told;
  }
  const json verdict = results.verdict(plan.unit_of.at({submission.student, lesson.name}), rung.name);
  if (verdict.is_null()) {
    told["outcome"] = "harness_failed";
    told["headline"] = "the grader has no verdict for this rung";
    return told;
  }
  told["outcome"] = verdict.at("outcome");
  if (verdict.contains("compiled_for")) told["compiled_for"] = verdict["compiled_for"];
  add_words(told, verdict);
  if (verdict.contains("idea")) told["idea"] = verdict["idea"];
  const bool without_idea = told["outcome"] == "idea_missing";
  if (told["outcome"] != "passed" && !without_idea) return told;
  const Speed speed = speed_of(policy, verdict);
  const double for_idea = without_idea ? 1 - policy.idea_share : 1;
  told["points"] = rounded(possible * for_idea * (1 - speed.share + speed.share * speed.credit));
  if (!speed.told.is_null()) told["performance"] = speed.told;
  return told;
}

}  // namespace

double rounded(double points) { return std::round(points * 1000) / 1000; }

json student_result(const Grading& grading, const Policy& policy, const GradingPlan& plan,
                    const Submission& submission) {
  Results results(grading);
  json student = {{"schema", kSchema}, {"student", submission.student}, {"source", submission.source}};
  if (!policy.title.empty()) student["title"] = policy.title;
  if (const auto own = policy.nicknames.find(submission.student); own != policy.nicknames.end())
    student["nickname"] = own->second;
  if (!submission.origin.empty()) student["origin"] = submission.origin;
  const std::string problem = submission.problem.empty() && submission.files.empty()
                                  ? "no rung's file was found in what was handed in"
                                  : without_controls(submission.problem);
  if (!problem.empty()) student["problem"] = problem;
  student["lessons"] = json::array();
  double points = 0, possible = 0;
  bool attention = !problem.empty();
  for (const LessonInfo* lesson : plan.lessons) {
    json told = {{"lesson", lesson->name}, {"title", lesson->title}, {"rungs", json::array()}};
    double lesson_points = 0, lesson_possible = 0;
    for (const RungInfo& rung : lesson->rungs) {
      json one = rung_result(policy, plan, submission, *lesson, rung, results);
      lesson_points += one["points"].get<double>();
      lesson_possible += one["points_possible"].get<double>();
      attention |= one["outcome"] == "harness_failed" || one["outcome"] == "not_run" ||
                   (one.contains("performance") && one["performance"].contains("doubt"));
      told["rungs"].push_back(std::move(one));
    }
    told["points"] = rounded(lesson_points);
    told["points_possible"] = rounded(lesson_possible);
    points += lesson_points;
    possible += lesson_possible;
    student["lessons"].push_back(std::move(told));
  }
  const double days = policy.days_late(submission.student, submission.marked_late);
  const double factor = policy.late_factor(days);
  student["late"] = {{"days", days}, {"factor", factor}};
  student["points_before_late"] = rounded(points);
  student["points"] = rounded(points * factor);
  student["points_possible"] = rounded(possible);
  student["needs_attention"] = attention;
  student["ignored"] = json::array();
  for (const Ignored& file : submission.ignored)
    student["ignored"].push_back({{"path", without_controls(file.path)}, {"why", file.why}});
  student["other_files"] = submission.others;
  if (!results.device.is_null() && !results.device.empty())
    student["device"] = {{"name", results.device.value("name", "")},
                         {"machine", results.device.value("machine", "")}};
  return student;
}

json class_result(const Grading& grading, const Policy& policy, const std::vector<json>& students) {
  json all = {{"schema", kSchema},
              {"title", policy.title},
              {"ladder", LADDER_VERSION},
              {"policy_sha256", policy.hash},
              {"seed", grading.seed},
              {"machine", grading.gpu ? "gpu" : "simulator"},
              {"sandboxed", grading.sandboxed},
              {"measures", measures(grading)},
              {"compiled_for", "compute_" + grading.arch},
              {"students", json::array()},
              {"rungs", json::array()}};
  for (const json& student : students)
    all["students"].push_back({{"student", student["student"]},
                               {"file", "students/" + file_name_for(student["student"]) + ".json"},
                               {"points", student["points"]},
                               {"points_possible", student["points_possible"]},
                               {"days_late", student["late"]["days"]},
                               {"needs_attention", student["needs_attention"]}});
  if (!policy.nicknames.empty()) all["class_ladder"] = class_ladder(students);
  if (students.empty()) return all;
  for (std::size_t l = 0; l < students.front()["lessons"].size(); ++l)
    for (std::size_t r = 0; r < students.front()["lessons"][l]["rungs"].size(); ++r) {
      std::map<std::string, int> outcomes;
      for (const json& student : students)
        ++outcomes[student["lessons"][l]["rungs"][r]["outcome"].get<std::string>()];
      const json& lesson = students.front()["lessons"][l];
      all["rungs"].push_back(
          {{"lesson", lesson["lesson"]}, {"rung", lesson["rungs"][r]["rung"]}, {"outcomes", outcomes}});
    }
  return all;
}

namespace {

constexpr std::size_t kHashDigits = 32;  // so many that nobody finds two names with the same

/// Whether it is a name that this gives to a name that it changes.
bool looks_changed(const std::string& name) {
  if (!name.starts_with('s') || name.size() < kHashDigits + 2) return false;
  const std::size_t hash = name.size() - kHashDigits;
  return name[hash - 1] == '-' && name.find_first_not_of("0123456789abcdef", hash) == std::string::npos;
}

/// Names that Windows keeps for devices, whatever follows their first dot.
bool is_device(const std::string& name) {
  const std::string stem = name.substr(0, name.find('.'));
  for (const char* device : {"con", "prn", "aux", "nul"})
    if (stem == device) return true;
  return stem.size() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")) &&
         std::isdigit(static_cast<unsigned char>(stem[3]));
}

}  // namespace

std::string file_name_for(const std::string& student) {
  std::string name;
  for (const char c : student)
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' ? c : '_';
  // File systems that do not tell small letters from large ones would put Alice and alice into one file: only
  // small ones stay as they are. Whatever was changed, a name made of the rest alone could be somebody
  // else's, and so could one that looks as if it had been changed.
  const bool large = std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isupper(c); });
  const bool odd = name.empty() || name.starts_with('.') || name.starts_with('-') || name.ends_with('.');
  if (name != student || large || odd || name.size() > 80 || is_device(name) || looks_changed(name))
    name = "s" + name.substr(0, 80) + "-" + sha256(student).substr(0, kHashDigits);
  return name;
}

}  // namespace ladder::cli::grade
