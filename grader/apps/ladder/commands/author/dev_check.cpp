// ladder dev check: the two-sided contract of every lesson.
#include <algorithm>

#include "grader/apps/ladder/commands/author/dev.h"
#include "grader/course/names.h"
#include "grader/present/ladder_view.h"
#include "grader/records/modelled.h"
#include "grader/run/check_ideas.h"
#include "grader/run/check_written.h"
#include "grader/run/contract.h"

namespace ladder::cli {
namespace {

struct DevCheckOptions {
  std::string lesson;
  bool files_only = false;
  bool ideas = false;
  bool quick = false;
};

void show(Context& context, const std::vector<Violation>& violations) {
  for (const Violation& violation : violations) {
    const std::string where = violation.file.empty()
                                  ? ""
                                  : context.shown(violation.file) +
                                        (violation.line > 0 ? fmt::format(":{}", violation.line) : "") + ": ";
    for (const std::string& line :
         wrap(where + violation.what, static_cast<std::size_t>(context.out.width) - 4))
      context.line("    {}", context.out.paint(Tone::bad, line));
    for (const std::string& line : wrap(violation.remedy, static_cast<std::size_t>(context.out.width) - 6))
      if (!line.empty()) context.line("      {}", line);
  }
}

/// A student's modelled time is shown beside what modelled.json has of the solution: that is to be what the
/// model says.
std::vector<Violation> modelled_times(const LessonInfo& lesson, const LessonRunResult& run) {
  const std::optional<Modelled> modelled = load_modelled(lesson);
  if (!modelled) return {};
  std::vector<Verdict> verdicts;
  for (const RungResult& rung : run.rungs) verdicts.push_back(rung.verdict);
  std::vector<Violation> all;
  for (const std::string& rung : modelled->outdated(verdicts))
    all.push_back(
        {lesson.folder / "modelled.json", 0, "the model has another time of the solution of " + rung,
         fmt::format(
             "Record it: ./ladder run {} --solution --device sim --json FILE, then ./ladder dev record "
             "FILE",
             lesson.id())});
  return all;
}

ExitCode check(Context& context, const DevCheckOptions& options) {
  const Course& course = context.course();
  const LessonInfo* one = options.lesson.empty() ? nullptr : &find_lesson(course, options.lesson);
  std::size_t violations = 0, lessons = 0;
  for (const LessonInfo& lesson : course.lessons) {
    if (one != nullptr && one != &lesson) continue;
    ++lessons;
    TransientLine progress(context.out);
    std::vector<Violation> found = check_files(lesson, course);
    // Modules are only worth building from rungs that are right; a missing picture does not matter to them.
    const bool rungs_right = std::none_of(found.begin(), found.end(),
                                          [](const Violation& v) { return v.file.extension() == ".cu"; });
    if (rungs_right && !options.files_only) {
      const auto check = options.ideas ? check_solutions : check_behaviour;
      const std::vector<Violation> more =
          check(context.project(), lesson, options.quick, modelled_times, progress);
      found.insert(found.end(), more.begin(), more.end());
    }
    progress.clear();
    context.line("{} {} {}",
                 outcome_mark(found.empty() ? Outcome::passed : Outcome::wrong_values, context.out),
                 lesson.name, context.out.paint(Tone::dim, fmt::format("{} rungs", lesson.rungs.size())));
    show(context, found);
    violations += found.size();
  }
  for (const CourseProblem& problem : course.problems) {
    if (one != nullptr) continue;
    context.line("{} {}", outcome_mark(Outcome::wrong_values, context.out),
                 problem.file.parent_path().filename().string());
    show(context,
         {{problem.file, problem.line, problem.message, "Mend lesson.toml; CONTRIBUTING.md shows one."}});
    ++violations;
  }
  if (one == nullptr)
    for (const auto& of_course : {check_unobserved(course), check_written(course)}) {
      show(context, of_course);
      violations += of_course.size();
    }
  if (violations == 0)
    context.line("{} the contract{}",
                 lessons == 1 ? "1 lesson keeps" : fmt::format("{} lessons keep", lessons),
                 options.files_only ? " of their files (nothing was run)" : "");
  else
    context.line("{} {}", violations, violations == 1 ? "violation" : "violations");
  return violations == 0 ? ExitCode::passed : ExitCode::failed;
}

}  // namespace

void add_dev_check(Commands& commands, CLI::App* dev) {
  const auto [command, options] = commands.add(
      "check", "the contract of every lesson: skeletons fail, solutions pass, the rung below does not",
      "  ./ladder dev check           all lessons; builds and runs both sides\n"
      "  ./ladder dev check 09        one lesson\n"
      "  ./ladder dev check --files   only the files: markers, parity, hints, README\n"
      "  ./ladder dev check --ideas   no skeletons: solutions pass, the rung below does not\n",
      check, dev);
  command->add_option("lesson", options.lesson, "one lesson only");
  command->add_flag("--files", options.files_only, "look at the files, build and run nothing");
  command->add_flag("--ideas", options.ideas, "run the solutions only, and hold ideas against them");
  command->add_flag("--quick", options.quick, "run small cases only");
}

}  // namespace ladder::cli
