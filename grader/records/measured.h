// What a GPU measured of a lesson's solutions, kept beside the lesson.
#pragma once

#include <filesystem>
#include <map>
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

/// What a GPU recorded of a lesson's solutions at the lesson's main size: told beside modelled times, and
/// never mixed with them.
struct Recorded {
  std::string device;                   ///< "NVIDIA H200"
  std::string date;                     ///< "2026-11-22"
  std::map<std::string, Timing> rungs;  ///< by the rung's name; one that was not recorded is not there
  std::string label() const;            ///< "recorded, H200, 2026-11-22"
  const Timing* of(const RungInfo& rung) const;
  /// The time of the rung below over this one's; nothing where one is missing or they did different things.
  std::optional<double> times_below(const LessonInfo& lesson, const RungInfo& rung) const;
};

/// Of the lesson's measured.json; nothing where there is none, or it has no time of any rung.
/// @throws Failure (environment) where it cannot be read
std::optional<Recorded> load_recorded(const LessonInfo& lesson);

/// For programs: label, device, date and the rungs' times. @param rungs  only these
nlohmann::json to_json(const Recorded& recorded, const std::vector<const RungInfo*>& rungs);

}  // namespace ladder::cli
