#include "grader/run/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "grader/course/includes.h"
#include "grader/course/names.h"
#include "grader/course/text/skeleton.h"
#include "grader/course/text/text_diff.h"
#include "grader/platform/files.h"
#include "grader/run/check_ideas.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using Violations = std::vector<Violation>;

void need_file(Violations& all, const fs::path& file, const std::string& what, const std::string& remedy) {
  if (!fs::exists(file)) all.push_back({file, 0, what + " is missing", remedy});
}

/// Rungs on disk that lesson.toml does not know.
void check_strays(Violations& all, const LessonInfo& lesson, const fs::path& folder) {
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() != ".cu") continue;
    const std::string stem = entry.path().stem().string();
    const bool known = std::any_of(lesson.rungs.begin(), lesson.rungs.end(),
                                   [&](const RungInfo& rung) { return rung.name == stem; });
    if (!known)
      all.push_back({entry.path(), 0, "lesson.toml describes no such rung",
                     fmt::format("Add a [[rung]] with name = \"{}\", or remove the file.", stem)});
  }
}

/// Each region is preceded by the task it solves.
void check_tasks(Violations& all, const fs::path& file, const std::string& solution) {
  const std::vector<std::string> lines = split_lines(solution);
  const std::vector<Todo> todos = find_todos(solution);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("// BEGIN SOLUTION") == std::string::npos) continue;
    const int above = static_cast<int>(i);  // the line above, counted from 1
    const bool told =
        std::any_of(todos.begin(), todos.end(), [&](const Todo& todo) { return todo.last_line == above; });
    if (!told)
      all.push_back({file, above + 1, "no TODO(n) stands right above this region",
                     "Say there what is to be written, and in how many lines: // TODO(1): … (2 lines)."});
  }
}

/// A hint that belongs to a TODO has one to belong to.
void check_hints(Violations& all, const fs::path& toml, const RungInfo& rung, std::string_view skeleton) {
  const std::vector<Todo> todos = find_todos(skeleton);
  for (const Hint& hint : rung.hints) {
    const bool known = hint.todo == 0 || std::any_of(todos.begin(), todos.end(), [&](const Todo& todo) {
                         return todo.number == hint.todo;
                       });
    if (!known)
      all.push_back(
          {toml, rung.toml_line,
           fmt::format("rung {} has a hint for TODO({}), which its skeleton lacks", rung.name, hint.todo),
           "Give the number of a TODO, or make the hint a string: then it is the rung's."});
  }
}

void check_rung(Violations& all, const LessonInfo& lesson, const RungInfo& rung) {
  const fs::path student = lesson.student_file(rung), solution = lesson.solution_file(rung),
                 toml = lesson.folder / "lesson.toml";
  if (rung.hints.size() < 2)
    all.push_back(
        {toml, rung.toml_line,
         fmt::format("rung {} has {} hints; at least 2 stages are wanted", rung.name, rung.hints.size()),
         "Add hints, the vaguest first: hints = [\"...\", \"...\"]."});
  if (!fs::exists(solution)) {
    all.push_back({solution, 0, "the solution is missing", "Write it; the skeleton is made from it."});
    return;
  }
  const std::string text = read_file(solution);
  const Skeleton skeleton = make_skeleton(text);
  for (const MarkerProblem& problem : skeleton.problems)
    all.push_back({solution, problem.line, problem.message, "Mend the markers, then run ./ladder dev sync."});
  if (!skeleton.problems.empty()) return;
  if (skeleton.regions == 0)
    all.push_back({solution, 0, "nothing is left for the student to do",
                   "Mark what the student writes with // BEGIN SOLUTION and // END SOLUTION."});
  check_tasks(all, solution, text);
  check_hints(all, toml, rung, skeleton.text);
  const std::string sync =
      fmt::format("./ladder dev sync {} makes it anew (your file is kept).", lesson.id());
  if (!fs::exists(student)) {
    all.push_back({student, 0, "the skeleton is missing", sync});
  } else if (const std::string present = read_file(student); present != skeleton.text) {
    const std::vector<DiffHunk> all_hunks =
        hunks(diff_lines(split_lines(skeleton.text), split_lines(present)), 0);
    const int line = all_hunks.empty() ? 0 : std::max(1, all_hunks.front().new_start);
    all.push_back({student, line, "the skeleton is not its solution minus the marked regions", sync});
  }
}

/// A rung handed in for grading is compiled where nothing of the checkout is but headers_for() its lesson:
/// what it includes, and what that includes, has to be among them.
void check_includes(Violations& all, const LessonInfo& lesson) {
  const std::vector<fs::path> headers = headers_for(lesson);
  std::vector<fs::path> files = {lesson.folder / (lesson.short_name + ".h")};
  for (const RungInfo& rung : lesson.rungs) files.push_back(lesson.solution_file(rung));
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path file = files[i];
    if (!fs::exists(file)) continue;
    for (const Include& include : includes_of(read_file(file))) {
      const fs::path meant = in_checkout(lesson, file, include.name);
      if (meant.empty() || std::find(files.begin(), files.end(), meant) != files.end()) continue;
      if (std::find(headers.begin(), headers.end(), meant) != headers.end())
        files.push_back(meant);
      else
        all.push_back({file, include.line,
                       fmt::format("{} is neither in {}'s folder nor in common/", include.name, lesson.name),
                       "A student's file is compiled without the rest of the course. Move what lessons share "
                       "into common/."});
    }
  }
}

void check_readme(Violations& all, const LessonInfo& lesson) {
  const fs::path readme = lesson.folder / "README.md";
  if (!fs::exists(readme)) {
    all.push_back({readme, 0, "the lesson has no README.md",
                   "Write the idea, one picture, the task of each rung, what to look at afterwards."});
    return;
  }
  static const std::regex picture(R"re(!\[[^\]]*\]\(([^)\s]+)[^)]*\)|<img[^>]*src="([^"]+)")re");
  const std::string text = read_file(readme);
  bool any = false;
  for (std::sregex_iterator it(text.begin(), text.end(), picture), end; it != end; ++it) {
    any = true;
    const std::string target = (*it)[1].matched ? (*it)[1].str() : (*it)[2].str();
    if (target.find("://") == std::string::npos && !fs::exists(lesson.folder / target))
      all.push_back(
          {readme, 0, fmt::format("the picture {} is not there", target), "Add it to the lesson's folder."});
  }
  if (!any)
    all.push_back({readme, 0, "the README shows no picture",
                   "One picture of the idea: ![what it shows](picture.svg)."});
}

/// A blank page has nothing of its contract yet: it compiles, so that the judge, who knows its cases, gets
/// it, and cannot be called.
bool is_empty_page(const RungInfo& rung, const Verdict& verdict) {
  return rung.is_blank_page() && verdict.outcome == Outcome::build_failed && verdict.cases_total > 0;
}

Violations run_side(const Project& project, const LessonInfo& lesson, Side side, bool quick,
                    const SolutionCheck& also, TransientLine& progress) {
  Violations all;
  Selection selection;
  selection.lesson = &lesson;
  for (const RungInfo& rung : lesson.rungs) selection.rungs.push_back(&rung);
  LessonRunOptions options;
  options.side = side;
  options.device = "sim";
  options.check_only = side == Side::student;  // solutions are timed: counters tell whether ideas work
  options.call_seconds = 120;                  // tests run beside each other
  options.quick = quick;
  const LessonRunResult result = run_lesson(project, selection, options, {}, progress);
  for (const RungResult& rung : result.rungs) {
    const Verdict& verdict = rung.verdict;
    const fs::path file = source_of(lesson, *rung.rung, side);
    const std::string told =
        fmt::format("{}{}{}", verdict.headline, verdict.detail.empty() ? "" : "\n  ", verdict.detail);
    if (verdict.outcome == Outcome::not_run) continue;
    if (side == Side::student && is_empty_page(*rung.rung, verdict)) continue;
    if (verdict.outcome == Outcome::build_failed || verdict.outcome == Outcome::harness_failed) {
      all.push_back({file, 0, told, "Both sides must compile and run."});
    } else if (side == Side::student && verdict.outcome == Outcome::passed) {
      all.push_back({file, 0, "the skeleton passes, so there is nothing to learn from it",
                     "Take more out of it, or make the cases tell the difference."});
    } else if (side == Side::solution && verdict.outcome != Outcome::passed) {
      all.push_back({file, 0, fmt::format("the solution fails: {}", told),
                     fmt::format("./ladder run {} --solution --seed {} shows it again.",
                                 lesson.id(*rung.rung), result.device.seed)});
    }
  }
  if (side == Side::solution) {
    if (also) {
      const Violations more = also(lesson, result);
      all.insert(all.end(), more.begin(), more.end());
    }
    const Violations ideas = check_ideas(project, lesson, result, quick, progress);
    all.insert(all.end(), ideas.begin(), ideas.end());
  }
  return all;
}

}  // namespace

Violations check_files(const LessonInfo& lesson, const Course& course) {
  Violations all;
  const fs::path toml = lesson.folder / "lesson.toml";
  std::vector<CourseProblem> remarks;
  parse_lesson(read_file(toml), toml, &remarks);
  for (const CourseProblem& remark : remarks)
    all.push_back(
        {remark.file, remark.line, remark.message,
         "Known keys: title, summary, part, difficulty, minutes, prerequisites, formerly, rung; of "
         "a rung: name, "
         "summary, points, compute_capability, hints, detour, few_lines, formerly, idea, idea_unobserved; "
         "of "
         "a hint: todo, text."});
  for (const std::string& needed : lesson.prerequisites) {
    const bool known = std::any_of(course.lessons.begin(), course.lessons.end(),
                                   [&](const LessonInfo& other) { return other.name == needed; });
    if (!known)
      all.push_back({toml, 0, fmt::format("the prerequisite {} is no lesson of this course", needed),
                     "Name the folder of a lesson."});
  }
  need_file(all, lesson.folder / (lesson.short_name + ".h"), "the contract header",
            "Declare the function that every rung defines, with shapes, units and errors.");
  need_file(all, lesson.folder / (lesson.short_name + ".cpp"), "the reference",
            "Define the cases and the reference; see grader/lesson/lesson.h.");
  for (const RungInfo& rung : lesson.rungs) check_rung(all, lesson, rung);
  check_strays(all, lesson, lesson.folder);
  check_strays(all, lesson, lesson.solutions_folder);
  check_includes(all, lesson);
  check_readme(all, lesson);
  return all;
}

Violations check_solutions(const Project& project, const LessonInfo& lesson, bool quick,
                           const SolutionCheck& also, TransientLine& progress) {
  return run_side(project, lesson, Side::solution, quick, also, progress);
}

Violations check_behaviour(const Project& project, const LessonInfo& lesson, bool quick,
                           const SolutionCheck& also, TransientLine& progress) {
  Violations all = check_solutions(project, lesson, quick, also, progress);
  Violations skeletons = run_side(project, lesson, Side::student, quick, {}, progress);
  all.insert(all.end(), skeletons.begin(), skeletons.end());
  return all;
}

}  // namespace ladder::cli
