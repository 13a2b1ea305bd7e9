// What a rung with wrong values does on the other cases: the one that failed first seldom tells most.
#pragma once

#include <optional>
#include <vector>

#include "grader/judge/bench.h"
#include "grader/judge/diagnose/by_case.h"
#include "grader/judge/explain/failure.h"

namespace ladder {

struct Survey {
  std::vector<diagnose::Tried> tried;  ///< which cases are right
  std::vector<Failure> wrong;          ///< further ones with wrong values
  std::optional<Failure> finding;      ///< the first one with a finding
};

/// Runs further quick cases of a rung, for some seconds at most: until one has a finding, or none is left.
/// The cases before the failed one count as right.
Survey survey(Bench& bench, RungProcess& process, const std::string& rung, const Failure& failure);

}  // namespace ladder
