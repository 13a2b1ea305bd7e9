// One giant case on one rung: a sample of its blocks runs twice, and what they wrote is judged.
#pragma once

#include "grader/judge/cases/check_case.h"
#include "grader/judge/rung_process.h"
#include "grader/lesson/giant.h"

namespace ladder {

/// The first run tells which pages the sampled blocks touch. These are filled, and the same blocks run again;
/// of what they wrote, elements drawn by chance are compared, and of every output something must have been
/// written in each part.
/// @param seed  of data and sample
/// @return passed also where the rung's way of working keeps it from being looked at, see README.md
CaseResult run_giant(RungProcess& process, const Giant& lesson, const Case& which, std::uint64_t seed);

}  // namespace ladder
