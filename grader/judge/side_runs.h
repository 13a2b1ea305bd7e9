// Runs of a rung that need no other's result, beside its check cases, in processes of their own.
#pragma once

#include <memory>
#include <vector>

#include "grader/judge/bench.h"

namespace ladder {

/// Giant cases, and those at which a rung is timed, on a simulated device. A student waits for one rung:
/// while its check cases run one after the other, mostly on one core, another core has time. The verdict is
/// what it would be without: whatever does not pass here counts for nothing and runs again in its turn.
class SideRuns {
 public:
  /// Whether there is room for it: one rung, a device that is modelled and no part of the sandbox, two cores.
  static bool possible(const Bench& bench);
  SideRuns(Bench& bench, const RungSpec& rung);
  /// Ends what still runs.
  ~SideRuns();

  /// Starts. To be called when a rung has shown that it is worth it.
  void begin();
  /// Waits for a case. @return its result, if it ran and passed
  std::optional<CaseResult> passed(const Case& which);

 private:
  class Lane;
  Bench& bench_;
  const RungSpec& rung_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace ladder
