// The figures of the student's own rungs, kept from run to run for `ladder report`.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/names.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {

/// The last time that a rung passed on a kind of device.
struct KeptResult {
  Verdict verdict;          ///< passed, with a time
  std::string device_kind;  ///< "gpu" or "simulator"
  std::string device;       ///< "NVIDIA H200"
  bool modelled = false;    ///< its times are the model's
  std::string at;           ///< "2026-11-21T14:03:22Z"
  std::string hash;         ///< sha256() of the file that was judged
};

/// The last verdict on a rung, whatever it was.
struct LatestResult {
  Verdict verdict;
  std::vector<Todo> open_todos;
  std::string device;     ///< "NVIDIA H200"
  bool modelled = false;  ///< its times are the model's
  std::string at;         ///< "2026-11-21T14:03:22Z"
  std::string hash;       ///< sha256() of the file that was judged
};

/// Keeps what passed with a time, one file a rung and kind of device in STATE/results, and the latest verdict
/// of each rung; each file is replaced in one step.
/// @throws Failure (environment)
void keep_results(const std::filesystem::path& state, const Selection& selection,
                  const LessonRunResult& result);

/// What was kept of a rung on a kind of device, under its name or a former one; nothing where there is none,
/// or it cannot be read.
std::optional<KeptResult> kept_result(const std::filesystem::path& state, const LessonInfo& lesson,
                                      const RungInfo& rung, const std::string& device_kind);

/// The last verdict on a rung; nothing where there is none, or it cannot be read.
std::optional<LatestResult> latest_result(const std::filesystem::path& state, const LessonInfo& lesson,
                                          const RungInfo& rung);
/// The file that it is kept in.
std::filesystem::path latest_file(const std::filesystem::path& state, const LessonInfo& lesson,
                                  const RungInfo& rung);

}  // namespace ladder::cli
