// How far a student is with `ladder hunt`, for the map, the lists and the report.
#pragma once

#include "grader/present/map_view.h"
#include "grader/run/context.h"

namespace ladder::cli {

/// Counted by lesson. Empty where there are no exercises: in an edition without solutions, in a package, or
/// where one cannot be read, of which `ladder hunt` speaks.
HuntCounts hunt_counts(Context& context);

}  // namespace ladder::cli
