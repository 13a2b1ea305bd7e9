#include "grader/run/check_ideas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "grader/idea/evaluate.h"
#include "grader/run/runner_choice.h"

namespace ladder::cli {
namespace {

constexpr double kMostUnobserved = 0.08;  // of a course's rungs
constexpr double kLeastRoom = 1.2;        // times, from a figure to the bound of its condition

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

/// How many times as large one figure is as the other; infinite where one of them is 0.
double times_apart(double a, double b) {
  const double least = std::min(a, b), most = std::max(a, b);
  return least > 0 ? most / least : most > 0 ? HUGE_VAL : 1;
}

/// How far a figure is from the bounds of its condition, in times; the nearest counts, and one that it meets
/// exactly, as a number of launches does, is meant so.
double room(const idea::Condition& condition, double value) {
  double least = HUGE_VAL;
  for (const auto& bound : {condition.at_least, condition.at_most})
    if (bound && *bound != value) least = std::min(least, times_apart(*bound, value));
  return least;
}

Violation too_near(const LessonInfo& lesson, const RungInfo& rung, const IdeaResult& result,
                   const std::string& whose, double apart) {
  return {
      lesson.folder / "lesson.toml", rung.toml_line,
      fmt::format("the idea of {}: the solution of {} has {} {:.4g}, {:.0f} % from the bound", rung.name,
                  whose, result.metric, result.value, 100 * (apart - 1)),
      fmt::format("Leave {:.0f} % on both sides, find another metric, or say in `close` why none has more "
                  "room: docs/ideas.md.",
                  100 * (kLeastRoom - 1))};
}

/// Of a rung whose idea holds for its solution and not for that of the rung below: whether either is so near
/// to a bound that the next compiler, or a correction to the model, could turn it round.
std::vector<Violation> check_room(const LessonInfo& lesson, const RungInfo& rung, const RungInfo& below,
                                  const Verdict& own, const Verdict& other) {
  std::vector<Violation> violations;
  std::optional<Violation> told_by_little;
  bool told = false;
  for (const idea::Condition& condition : rung.how.conditions) {
    const idea::Idea alone{{condition}, ""};
    const auto mine = idea::evaluate(alone, own), its = idea::evaluate(alone, other);
    if (!mine || !its) continue;
    const bool excused = !condition.close.empty();
    const double my_room = room(condition, mine->value), its_room = room(condition, its->value);
    if (my_room < kLeastRoom && !excused)
      violations.push_back(too_near(lesson, rung, *mine, rung.name, my_room));
    if (its->works) continue;
    if (its_room < kLeastRoom && !excused)
      told_by_little = too_near(lesson, rung, *its, below.name, its_room);
    else
      told = true;
  }
  if (told_by_little && !told) violations.push_back(*told_by_little);
  return violations;
}

/// A rung, and the one below it whose solution is to be handed in as the rung.
struct HandIn {
  const RungInfo *rung, *below;
  const Verdict* own;  ///< of the rung's solution
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
    if (judged.outcome == Outcome::passed) {
      violations.push_back(passes_below(lesson, *one->rung, *one->below));
    } else if (judged.outcome == Outcome::idea_missing) {
      const auto near = check_room(lesson, *one->rung, *one->below, *one->own, verdict);
      violations.insert(violations.end(), near.begin(), near.end());
    }
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
      to_hand_in.push_back({&rung, &below, own});
    } else if (const auto result = idea::evaluate(rung.how, *other); result && result->works) {
      violations.push_back(passes_below(lesson, rung, below));
    } else {
      const auto near = check_room(lesson, rung, below, *own, *other);
      violations.insert(violations.end(), near.begin(), near.end());
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
