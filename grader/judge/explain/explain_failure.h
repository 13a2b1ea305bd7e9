// From a failed case to the verdict's words: what else the rung does tells more than that one case.
#pragma once

#include <memory>

#include "grader/judge/bench.h"

namespace ladder {

/// Turns @p verdict into the one for a failed case. Wrong values are looked into: further cases may have a
/// finding, which then leads; a larger one shows more of the pattern; which of them are right is a pattern of
/// its own. What is shown is the smallest case that fails. Stops the process.
void explain_failure(Bench& bench, RungProcess& process, Verdict& verdict,
                     std::shared_ptr<PreparedCase> prepared, CaseResult result);

/// The same where a case has passed, and its arrays were then given the values of @p other: either these are
/// what is wrong, or the rung remembers what the arrays held.
void explain_other_values(Bench& bench, RungProcess& process, Verdict& verdict,
                          std::shared_ptr<PreparedCase> other, CaseResult result);

}  // namespace ladder
