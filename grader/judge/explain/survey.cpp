#include "grader/judge/explain/survey.h"

#include <algorithm>
#include <chrono>

namespace ladder {
namespace {

constexpr auto kTimeToSurvey = std::chrono::seconds(5);
constexpr std::int64_t kMostSurveyed = 1 << 16;  // findings are looked for in small launches

}  // namespace

Survey survey(Bench& bench, RungProcess& process, const std::string& rung, const Failure& failure) {
  Survey survey;
  const Case& failing = failure.prepared->which();
  std::vector<Case> rest;
  bool behind = false;
  for (const Case& which : bench.checks_of(rung)) {
    const bool same = which.label() == failing.label();
    if (!behind && !same) survey.tried.push_back({which, true});
    if (behind && volume(which) <= kMostSurveyed) rest.push_back(which);
    behind |= same;
  }
  survey.tried.push_back({failing, false});
  std::stable_partition(rest.begin(), rest.end(),
                        [&](const Case& which) { return which.variant == failing.variant; });
  const auto deadline = std::chrono::steady_clock::now() + kTimeToSurvey;
  for (const Case& which : rest) {
    if (std::chrono::steady_clock::now() > deadline) break;
    Failure seen{bench.store.get(which), {}};
    seen.result = process.run(*seen.prepared, {kPoisonNan});
    const Outcome outcome = seen.outcome();
    if (outcome == Outcome::passed || outcome == Outcome::wrong_values)
      survey.tried.push_back({which, outcome == Outcome::passed});
    if (outcome == Outcome::finding)
      survey.finding = std::move(seen);
    else if (outcome == Outcome::wrong_values && bench.store.keeps(which))  // else there is no room for more
      survey.wrong.push_back(std::move(seen));
    if (survey.finding || (outcome != Outcome::passed && outcome != Outcome::wrong_values)) break;
  }
  return survey;
}

}  // namespace ladder
