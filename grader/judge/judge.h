// The judge: runs rungs through a lesson's cases, times them, and has the last word.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grader/judge/apart.h"
#include "grader/judge/remote_worker.h"
#include "grader/protocol/verdict.h"

namespace ladder {

/// A module to judge.
struct RungSpec {
  std::string name;
  std::string module;
  int needs_major = 0, needs_minor = 0;  ///< least compute capability
  /// Parses "NAME=MODULE" or "NAME=MODULE@8.0". @throws std::invalid_argument
  static RungSpec parse(const std::string& text);
};

struct JudgeOptions {
  std::string lesson_path;
  std::string lesson_name;
  std::vector<RungSpec> rungs;
  std::vector<RungSpec> baselines;
  bool check_only = false;
  bool quick = false;  ///< leave out large check cases
  int hidden = 0;      ///< further check cases of secret sizes
  std::uint64_t seed = 0;
  WorkerLimits limits;
  ApartOptions
      apart;  ///< whether the simulator is another process than the rung's; its clock is the lesson's
  std::string peaks_file;    ///< empty: not kept
  std::string peaks_module;  ///< empty: device memory's peaks stay unknown
};

/// Takes events as they happen.
using EventSink = std::function<void(const nlohmann::json&)>;

/// Judges all rungs and baselines.
/// @return exit status: 0, or 3 when there is no device
/// @throws std::runtime_error when the lesson cannot be loaded
int judge(const JudgeOptions& options, const EventSink& emit);

}  // namespace ladder
