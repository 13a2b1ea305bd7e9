#include "grader/run/check_ideas.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/idea/evaluate.h"
#include "grader/run/runner_choice.h"

namespace ladder::cli {
namespace {

constexpr double kMostUnobserved = 0.08;  // of a course's rungs

const Verdict* verdict_of(const LessonRunResult& run, const RungInfo& rung) {
  const auto found = std::find_if(run.rungs.begin(), run.rungs.end(),
                                  [&](const RungResult& result) { return result.rung == &rung; });
  return found == run.rungs.end() || !found->verdict.timing ? nullptr : &found->verdict;
}

bool same_size(const Verdict& one, const Verdict& other) { return one.timing->size == other.timing->size; }

Violation passes_below(const LessonInfo& lesson, const RungInfo& rung, const RungInfo& below) {
  return {lesson.folder / "lesson.toml", rung.toml_line,
          fmt::format("the solution of {}, handed in as {}, passes", below.name, rung.name),
          rung.how.empty()
              ? "Say by which metric the rung's idea shows: [[rung.idea]]; docs/ideas.md has them."
              : "Let its [[rung.idea]] ask for something that the rung below does not do."};
}

/// A rung, and the one below it whose solution is to be handed in as the rung.
struct HandIn {
  const RungInfo *rung, *below;
};

std::vector<Violation> hand_in(const Project& project, const LessonInfo& lesson,
                               const std::vector<HandIn>& all, bool quick, TransientLine& progress) {
  std::vector<Violation> violations;
  if (all.empty()) return violations;
  RunnerCall call;
  call.runner = project.binary(kSimulator.target);
  call.request.lesson_path = plugin_of(project, lesson);
  call.request.lesson_name = lesson.name;
  call.request.quick = quick;
  call.request.limits.call_seconds = 120;
  for (const HandIn& one : all)
    call.request.rungs.push_back(RungSpec::of(one.rung->name,
                                              module_of(project, lesson, *one.below, Side::solution),
                                              one.below->compute_capability));
  RunnerEvents events;
  events.progress = [&](const std::string& doing) { progress.show(doing); };
  events.verdict = [&](const Verdict& verdict) {
    const auto one =
        std::find_if(all.begin(), all.end(), [&](const HandIn& h) { return h.rung->name == verdict.rung; });
    if (one == all.end()) return;
    Verdict judged = verdict;
    idea::judge(one->rung->how, one->rung->number, judged);
    if (judged.outcome == Outcome::passed)
      violations.push_back(passes_below(lesson, *one->rung, *one->below));
  };
  (void)run_rungs(call, events);
  return violations;
}

}  // namespace

std::vector<Violation> check_ideas(const Project& project, const LessonInfo& lesson,
                                   const LessonRunResult& solutions, bool quick, TransientLine& progress) {
  std::vector<Violation> violations;
  std::vector<HandIn> to_hand_in;
  for (std::size_t i = 1; i < lesson.rungs.size(); ++i) {
    const RungInfo &rung = lesson.rungs[i], &below = lesson.rungs[i - 1];
    if (!rung.how.unobserved.empty()) continue;
    const Verdict *own = verdict_of(solutions, rung), *other = verdict_of(solutions, below);
    if (own == nullptr || other == nullptr)
      continue;  // it failed, which is said already, or does not run here
    if (rung.how.empty() || !same_size(*own, *other)) {
      to_hand_in.push_back({&rung, &below});
    } else if (const auto result = idea::evaluate(rung.how, *other); result && result->works) {
      violations.push_back(passes_below(lesson, rung, below));
    }
  }
  const std::vector<Violation> more = hand_in(project, lesson, to_hand_in, quick, progress);
  violations.insert(violations.end(), more.begin(), more.end());
  return violations;
}

std::vector<Violation> check_unobserved(const Course& course) {
  std::size_t rungs = 0, unobserved = 0;
  for (const LessonInfo& lesson : course.lessons)
    for (const RungInfo& rung : lesson.rungs) {
      ++rungs;
      unobserved += rung.how.unobserved.empty() ? 0 : 1;
    }
  const double share = rungs == 0 ? 0 : static_cast<double>(unobserved) / static_cast<double>(rungs);
  if (share <= kMostUnobserved) return {};
  return {{{},
           0,
           fmt::format("{} of {} rungs have an idea that nothing observes; {:.0f} % may", unobserved, rungs,
                       100 * kMostUnobserved),
           "Find a metric for some of them: docs/ideas.md."}};
}

}  // namespace ladder::cli
