// What the simulator's model says of a lesson's solutions, kept beside the lesson: a student's modelled time
// stands next to it, also in an edition without solutions.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/protocol/verdict.h"

namespace ladder::cli {

/// lessons/NN_name/modelled.json.
struct Modelled {
  struct Time {
    std::string size;  ///< "n=4194304"
    double median_ms = 0;
  };
  std::map<std::string, Time> rungs;  ///< by name

  /// The solution's time at the size of @p timing; null where the model was not asked, or that is no modelled
  /// time.
  const Time* beside(const RungInfo& rung, const Timing& timing) const;
  /// Rungs of @p verdicts, which are of solutions, whose modelled time is another one now: by more than what
  /// the simulator's sampled figures let it vary from run to run.
  std::vector<std::string> outdated(const std::vector<Verdict>& verdicts) const;
};

/// What of a `ladder run --solution --device sim --json` is worth keeping.
/// @throws Failure (usage) where a rung did not pass, or it is no such run
nlohmann::json modelled_of(const nlohmann::json& run, const LessonInfo& lesson);

/// Of the lesson's modelled.json; nothing where there is none.
/// @throws Failure (environment) where it cannot be read
std::optional<Modelled> load_modelled(const LessonInfo& lesson);

}  // namespace ladder::cli
