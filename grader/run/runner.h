// Starts runner-sim or runner-gpu and turns its stream of events into verdicts.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/protocol/verdict.h"

namespace ladder::cli {

/// A module to run: a rung, or a baseline.
struct RunnerModule {
  std::string name;
  std::filesystem::path file;
  std::string compute_capability;  ///< needed at least; empty where any will do
};

struct RunnerRequest {
  std::filesystem::path runner;
  std::filesystem::path plugin;
  std::string lesson;
  std::vector<RunnerModule> rungs;
  std::vector<RunnerModule> baselines;
  bool check_only = false;
  bool quick = false;  ///< small check cases only
  std::optional<std::uint64_t> seed;
  std::filesystem::path peaks;         ///< where measured peaks are kept; may be empty
  std::filesystem::path peaks_module;  ///< may be empty
  std::vector<std::string> more;       ///< further options of the runner, as they are
  /// Where the runner is not on this machine: makes of its command line, which writes events to descriptor 3,
  /// one that runs here. The paths above are then the other machine's.
  std::function<std::vector<std::string>(const std::vector<std::string>&)> elsewhere;
};

/// What a run was made on; also the "device" of --json.
struct RunDevice {
  std::string name;     ///< "H200"
  std::string machine;  ///< "gpu" or "simulator"
  std::string compute_capability;
  bool modelled = false;
  std::uint64_t seed = 0;
  int cases = 0;
  std::string time_size;  ///< label of the timed case, or empty
  nlohmann::json json;    ///< the event as it came
};

struct RunReport {
  RunDevice device;
  std::vector<Verdict> rungs;
  std::vector<Verdict> baselines;
  std::optional<double> reference_ms;  ///< CPU reference on the timed case
  nlohmann::json peaks;                ///< null where none came
};

/// Called while the runner works.
struct RunnerEvents {
  std::function<void(const RunDevice&)> device;
  std::function<void(const std::string& doing)> progress;  ///< "3_interleaved: case 7 of 23 ..."
  std::function<void(double milliseconds)> reference;
  std::function<void(const Verdict&)> verdict;
  /// Further times at another size follow, after the verdicts.
  std::function<void(const std::string& size)> size;
  /// A rung or baseline at that size; its outcome says whether it was right there, too.
  std::function<void(const Verdict&)> timed;
};

/// Thrown where the runner finds no device to run on.
struct NoDevice {
  std::string message;
};

/// Runs the rungs, then the baselines. A rung that the runner left without a verdict gets `harness_failed`,
/// which says so.
/// @throws Failure (environment) where the runner cannot start or cannot load the lesson, NoDevice,
///         Failure (interrupted)
RunReport run_rungs(const RunnerRequest& request, const RunnerEvents& events);

}  // namespace ladder::cli
