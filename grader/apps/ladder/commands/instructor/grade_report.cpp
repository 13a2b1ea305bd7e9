#include "grader/apps/ladder/commands/instructor/grade_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grader/grade/publish/outputs.h"
#include "grader/grade/publish/results.h"
#include "grader/grade/publish/similarity.h"
#include "grader/platform/files.h"

namespace ladder::cli {
namespace fs = std::filesystem;
using namespace ladder::cli::grade;
using nlohmann::json;
namespace {

/// "1 student", "2 students".
std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// A student's name that the policy misspells would cost that student the lateness, or nobody; or leave them
/// out of the class ladder.
std::vector<std::string> strangers(const Policy& policy, const std::vector<Submission>& submissions) {
  std::set<std::string> names;
  for (const auto& [name, days] : policy.late.days) names.insert(name);
  for (const auto& [name, time] : policy.late.handed_in) names.insert(name);
  for (const auto& [name, nickname] : policy.nicknames) names.insert(name);
  for (const Submission& submission : submissions) names.erase(submission.student);
  return {names.begin(), names.end()};
}

}  // namespace

void show_collected(Context& context, const Policy& policy, const std::vector<Submission>& submissions,
                    std::vector<std::string> notes) {
  constexpr std::size_t kMostNotes = 20, kMostOfOne = 3;
  std::size_t files = 0, others = 0;
  for (const std::string& name : strangers(policy, submissions))
    notes.push_back(fmt::format("the policy names '{}', and nobody of that name handed in", name));
  for (const Submission& submission : submissions) {
    files += submission.files.size();
    others += submission.others;
    const auto note = [&](const std::string& what) { notes.push_back(submission.student + ": " + what); };
    if (!submission.problem.empty())
      note(submission.problem);
    else if (submission.files.empty())
      note("no rung's file was found");
    const std::size_t shown = std::min(submission.ignored.size(), kMostOfOne);
    for (std::size_t i = 0; i < shown; ++i)
      note(fmt::format("{} was not taken: {}", submission.ignored[i].path, submission.ignored[i].why));
    if (submission.ignored.size() > shown)
      note(fmt::format("{} more were not taken", submission.ignored.size() - shown));
  }
  context.line("{} with {}; {} not looked at", counted(submissions.size(), "submission"),
               counted(files, "rung file"), counted(others, "other file"));
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i)
    context.line("{} {}", context.out.paint(Tone::warn, "note:"), without_controls(notes[i]));
  if (notes.size() > kMostNotes)
    context.line("... and {} more, in the students' results", notes.size() - kMostNotes);
}

void write_results(Context& context, const Grading& grading, const Policy& policy, const GradingPlan& plan,
                   const std::vector<Submission>& submissions, const GradeOptions& options) {
  const fs::path out = options.out;
  std::vector<json> students;
  for (const Submission& submission : submissions) {
    students.push_back(student_result(grading, policy, plan, submission));
    write_file(out / "students" / (file_name_for(submission.student) + ".json"),
               students.back().dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  }
  const json all = class_result(grading, policy, students);
  write_file(out / "class.json", all.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  write_outputs(out, options.formats, all, students);
  if (options.similar > 0) {
    std::vector<std::string> notes;
    write_file(out / "similarity.csv", similarity_csv(grading, plan, submissions, options.similar, notes));
    for (const std::string& note : notes) context.line("{} {}", context.out.paint(Tone::warn, "note:"), note);
  }
  const auto attention = std::count_if(students.begin(), students.end(), [](const json& student) {
    return student["needs_attention"].get<bool>();
  });
  context.line("{} graded: {}", counted(students.size(), "student"), context.shown(out / "class.json"));
  for (const char* file :
       {"gradebook.csv", "class.html", "class-ladder.csv", "class-ladder.html", "similarity.csv"})
    if (fs::exists(out / file)) context.line("  {}", context.shown(out / file));
  if (attention > 0)
    context.line(
        "{} {} to look at: a rung that could not be judged, a submission that could not be read or holds no "
        "rung, or a time that is not believed",
        context.out.paint(Tone::warn, "note:"), counted(static_cast<std::size_t>(attention), "student"));
}

}  // namespace ladder::cli
