// Whether a rung leaves the device as it found it.
#pragma once

#include <vector>

#include "grader/protocol/protocol.h"
#include "grader/worker/device/device.h"

namespace ladder {

/// Looks at what a rung's process holds of the device, run after run of one case.
class CleanUp {
 public:
  /// Before a run.
  void begin() { resets_ = device().resets(); }
  /// Whether the device was reset since: then nothing of the caller's is left.
  bool was_reset() const { return device().resets() != resets_; }
  /// After it. What the first run of a case leaves may be kept for the next ones: a workspace, a stream, a
  /// graph. What the same case adds once more is lost.
  /// @param whole  whether the run came to its end: one that broke off could give nothing back
  /// @return findings of severity "error"
  std::vector<sim::Finding> end(bool whole);

 private:
  std::uint64_t resets_ = 0;
  std::vector<sim::OpenObjects> before_;  ///< after the last run; empty before the first
};

/// Whether a run went through to the end of the rung's function, for all that is known.
bool came_to_its_end(const WorkerReply& reply);

}  // namespace ladder
