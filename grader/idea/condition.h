// By what a rung's idea shows: bounds on metrics, from lesson.toml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/idea/metric.h"

namespace ladder::idea {

/// A bound on one metric of the timed call.
struct Condition {
  Metric metric = Metric::launches;
  std::vector<std::string> of;  ///< of `instructions` their classes, of `calls` the functions: summed up
  std::optional<double> at_least, at_most;
  /// What to tell a student whose rung is beyond the bound. "{value}" and "{limit}" are the metric's; where
  /// it is about an access, "{cost}" is what a request of the worst one takes and "{least}" what would do.
  std::string says;
  /// Why the solution or the rung below is near to the bound, and no metric has more room; empty: neither is.
  std::string close;
};

/// How a rung's idea is looked at.
struct Idea {
  std::vector<Condition> conditions;  ///< all have to hold
  /// Why nothing that is counted tells the rung from the one below, which meets the conditions as well, if
  /// there are any; empty: they tell it.
  std::string unobserved;

  bool empty() const { return conditions.empty(); }
};

}  // namespace ladder::idea
