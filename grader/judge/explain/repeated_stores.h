// Threads that do each other's work: elements stored by several of them, or several times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/judge/diagnose/evidence.h"
#include "grader/judge/explain/explain.h"
#include "grader/judge/explain/further_runs.h"

namespace ladder {

/// A note that blocks or threads store one value says more where values are wrong: told beside a diagnosis,
/// and as the verdict where there is none.
void raise_equal_stores(Explanation& words, const diagnose::Diagnosis& diagnosis, const Failure& failure,
                        std::vector<sim::Finding>& findings);

/// The note that a kernel stores several times to each element of the output that is wrong, or of any.
/// @param seen  from FurtherRuns::looked_at_closely()
std::optional<sim::Finding> stored_again(const Failure& seen);

/// Adds that note; it leads where nothing else explains the values.
void tell_stored_again(Explanation& words, const sim::Finding& note);

/// Of a rung that does not end in time: whether a smaller case shows that it does its work several times.
void add_stores(Explanation& words, Bench& bench, const std::string& rung, FurtherRuns& runs);

}  // namespace ladder
