// Findings and kernel records as JSON: the schema of `ladder sim --json` and `ladder run --json`.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// The same as text, for who has no other use for JSON: its parser and its values take long to compile. What
/// is no UTF-8 is mended.
std::string findings_text(const std::vector<Finding>& findings);
/// Reads what findings_text() writes. @return nothing where the text does not end
std::optional<std::vector<Finding>> findings_from(std::string_view text);

/// A line of a report: {"KEY": ...}.
std::string report_line(const char* key, const Finding& finding);
std::string report_line(const char* key, const KernelRecord& record);
/// Of numbers by name.
std::string report_line(const char* key, const std::vector<std::pair<std::string, std::uint64_t>>& numbers);

}  // namespace sim
