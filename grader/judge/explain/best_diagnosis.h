// Of several cases with wrong values the pattern that tells most.
#pragma once

#include <vector>

#include "grader/judge/diagnose/evidence.h"
#include "grader/judge/explain/further_runs.h"

namespace ladder {

/// The diagnosis of a failure with wrong values, or of another case that shows more. Where no pattern in the
/// values says enough, the reference is asked with inputs read otherwise.
/// @param failure, others  where two runs of one differ, further runs are added to it
diagnose::Diagnosis best_diagnosis(const Bench& bench, FurtherRuns& runs, Failure& failure,
                                   std::vector<Failure>& others);

}  // namespace ladder
