// One run of some rungs of a lesson: build them, let a runner judge them, keep the student's progress.
// What is shown is the caller's business.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/build/build.h"
#include "grader/course/names.h"
#include "grader/course/text/skeleton.h"
#include "grader/run/runner.h"

namespace ladder::cli {

struct LessonRunOptions {
  Side side = Side::student;
  std::string device = "auto";  ///< sim, gpu or auto: gpu where there is one
  bool check_only = false;
  bool quick = false;  ///< small check cases only
  std::optional<std::uint64_t> seed;
  std::string arch;     ///< virtual architecture to compile for, as "80"; empty: what the device has
  bool beside = false;  ///< the files lie beside the course: see BuildRequest
  std::string on;       ///< USER\@HOST to run on, reached by ssh; empty: here
  std::optional<double> call_seconds;  ///< for one call of a rung; nothing: as a student has
};

/// A verdict with what belongs to it.
struct RungResult {
  const RungInfo* rung = nullptr;
  Verdict verdict;
  std::vector<Todo> open_todos;  ///< of a student's file
  std::string source;            ///< the file's contents when it was built
};

struct LessonRunEvents {
  std::function<void(const RunDevice&)> device;
  std::function<void(const RungResult&)> rung;  ///< in the order of the lesson
  std::function<void(const Verdict&)> baseline;
  std::function<void(double milliseconds)> reference;
  std::function<void(const std::string& size)> size;  ///< times at another size follow
  std::function<void(const Verdict&)> timed;          ///< of a rung or baseline, at that size
  std::function<void(const std::string&)> note;       ///< a sentence for the user
};

struct LessonRunResult {
  RunDevice device;
  std::vector<RungResult> rungs;
  std::vector<Verdict> baselines;
  std::optional<double> reference_ms;
  nlohmann::json peaks;
};

/// Builds and runs. @throws Failure (environment, interrupted)
LessonRunResult run_lesson(const Project& project, const Selection& selection,
                           const LessonRunOptions& options, const LessonRunEvents& events,
                           TransientLine& progress);

/// The result as `--json` prints it: schema 1.
nlohmann::json to_json(const LessonRunResult& result, const LessonInfo& lesson, Side side);

}  // namespace ladder::cli
