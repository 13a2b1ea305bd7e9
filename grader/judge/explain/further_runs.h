// Further runs of a rung, for what the run that failed does not tell.
#pragma once

#include <string>

#include "grader/judge/bench.h"
#include "grader/judge/explain/failure.h"
#include "grader/judge/explain/survey.h"

namespace ladder {

/// Runs cases of one rung. Refers to all that it is given.
class FurtherRuns {
 public:
  FurtherRuns(Bench& bench, RungProcess& process, const std::string& rung)
      : bench_(bench), process_(process), rung_(rung) {}

  /// Whether the run that went wrong is right as the first one of a process: then an earlier call left
  /// something.
  bool is_kept_between_calls(const Failure& failure);

  /// Runs a failed case several times over each of the two fillings of its outputs, always as the first run
  /// of a fresh start, in the usual order of blocks and warps and in another one. Keeps what comes out of the
  /// filling of the second run.
  /// @return whether the same came out whenever the filling was the same
  bool run_again(Failure& failure);

  /// A further run of a failed case, the first of a fresh start, in which findings are looked for in every
  /// launch, the large ones, too, and stores are counted.
  Failure looked_at_closely(const Failure& failure);

  /// A race within a warp may be one between warps in a larger case, and then needs another barrier.
  /// @return such a case where one is found, else @p failure
  Failure between_warps(Failure failure);

  /// The smallest case found that fails in the same way, for some seconds at most.
  /// @param seen  gets what other cases show on the way, where values are wrong: which are right, and the
  /// first one with a finding
  Failure shrunk(Failure failure, Survey& seen);

 private:
  Failure attempt(const Case& which);

  Bench& bench_;
  RungProcess& process_;
  const std::string& rung_;
};

}  // namespace ladder
