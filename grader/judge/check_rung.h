// One rung through all cases: the verdict with its cause.
#pragma once

#include <string>

#include "grader/judge/bench.h"

namespace ladder {

/// Checks a rung on every case, and explains the first failure on the smallest case that shows it.
/// @param process  started or not; still running afterwards when the rung passed
Verdict check_rung(Bench& bench, RungProcess& process, const std::string& name);

}  // namespace ladder
