// What a GPU measured of a lesson's solutions, kept beside the lesson.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/run/runner.h"

namespace ladder::cli {

/// lessons/NN_name/measured.json.
struct Measured {
  std::string date;  ///< "2026-11-21"
  RunDevice device;
  std::vector<Verdict> rungs;
  std::vector<Verdict> baselines;
  std::optional<double> reference_ms;
  nlohmann::json peaks;  ///< as a run has them; null where they were not kept
};

/// What of a `ladder run --solution --json` is worth keeping: times and outcomes, no findings, no counters.
/// @throws Failure (usage) where it is not such a run of all rungs, made on a GPU, with every rung passed
nlohmann::json worth_keeping(const nlohmann::json& run, const LessonInfo& lesson, const std::string& date);

/// Of the lesson's measured.json; nothing where there is none.
std::optional<Measured> load_measured(const LessonInfo& lesson);

}  // namespace ladder::cli
