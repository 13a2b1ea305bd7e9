// Findings and kernel records as JSON: the schema of `ladder sim --json` and `ladder run --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"

namespace sim {

/// The keys are the members' names; "other", "symbol", "column", "nth", "of" and "cure" only where
/// they are known, "null_pointer" only where it is one,
/// "in_buffer" ({"offset", "buffer": {...}}) where the source has no name for what is accessed. "message" is
/// the sentence, "cure" its text. Where it names numbers, memory or the other party, "operands" has its parts
/// in order: texts, numbers, {"allocation": {...}},
/// {"call": "cudaMemcpy"}, {"other": "line"} or
/// {"other": "thread"}.
void to_json(nlohmann::json& json, const Finding& finding);
/// Absent keys keep their defaults. @throws nlohmann::json::exception on a value of the wrong type
/// or a kind that there is not: what a rung's process says is no more than words
void from_json(const nlohmann::json& json, Finding& finding);

/// Counters by name.
void to_json(nlohmann::json& json, const KernelRecord& record);
/// Absent keys keep their defaults. @throws nlohmann::json::exception on a value of the wrong type
void from_json(const nlohmann::json& json, KernelRecord& record);

}  // namespace sim
