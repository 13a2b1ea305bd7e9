// Starts runner-sim or runner-gpu and turns its stream of events into verdicts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/protocol/events.h"
#include "grader/protocol/request.h"

namespace ladder::cli {

/// A runner, and what it is to do.
struct RunnerCall {
  std::filesystem::path runner;
  RunRequest request;
  /// Where the runner is not on this machine: makes of its command line, which writes events to descriptor 3,
  /// one that runs here. The paths above are then the other machine's.
  std::function<std::vector<std::string>(const std::vector<std::string>&)> elsewhere;
};

struct RunReport {
  RunDevice device;
  std::vector<Verdict> rungs;
  std::vector<Verdict> baselines;
  std::optional<double> reference_ms;  ///< CPU reference on the timed case
  std::optional<PeakRates> peaks;
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
RunReport run_rungs(const RunnerCall& call, const RunnerEvents& events);

}  // namespace ladder::cli
