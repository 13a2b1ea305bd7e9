// The process that a rung runs in.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "grader/lesson/shared_bytes.h"
#include "grader/protocol/channel.h"
#include "grader/protocol/protocol.h"
#include "grader/worker/clean_up.h"
#include "grader/worker/worker_memory.h"

namespace ladder {

/// Runs a worker on the descriptors it was started with, until the judge hangs up.
/// @param lesson  path of the lesson's plugin; empty when there is only a device to look at
/// @param module  path of the rung's module
/// @return exit status of the process
int worker_main(const std::string& lesson, const std::string& module);

/// The case a worker is at: its arrays, and where initial contents and results are shared.
struct WorkerCase {
  Case which;
  std::vector<Buffer> buffers;
  std::vector<SharedBytes> initial;                ///< per buffer; empty for outputs
  std::vector<SharedBytes> results;                ///< per buffer: [guard][data][guard]
  std::vector<std::byte> pattern;                  ///< of the guard bands
  std::vector<std::unique_ptr<ArgumentSet>> sets;  ///< at least one; more for timing
  CleanUp clean_up;
  std::size_t bytes_per_set() const;
  /// One more array, whose contents and results are shared by descriptors from fds[taken] on.
  void add(const Buffer& buffer, std::vector<UniqueFd>& fds, std::size_t& taken);

  // Where a sample of the blocks runs over giant arrays, which only exist where something touches them.
  /// Gives pages that were touched their data.
  void fill_touched();
  /// @param download  whether results on touched pages are handed over
  /// @return [[[first byte, bytes]...] by array]; null where there are too many
  nlohmann::json touched(bool download);
};

/// One call of the rung, and whether all went well.
class CaseRun {
 public:
  CaseRun(Lesson& lesson, WorkerCase& at);
  ~CaseRun();
  CaseRun(const CaseRun&) = delete;
  CaseRun& operator=(const CaseRun&) = delete;

  /// Prepares, launches between two looks at the lesson's clock, waits, finishes. The arrays are ready
  /// before.
  /// @param set      index of the arrays to use
  /// @param scratch  device memory to chill the caches with; empty for a run that is not timed
  /// @param collect  called when the default stream has got past the launch, and before anybody waits for the
  ///                 rest of the device: where a caller would look at the results
  WorkerReply once(std::size_t set, std::span<std::byte> scratch, const std::function<void()>& collect = {});

 private:
  void launch(const ArgumentSet& arguments, WorkerReply& reply, const std::function<void()>& collect);
  Lesson& lesson_;
  WorkerCase& at_;
  cudaEvent_t start_{}, stop_{};
};

/// One part of a run by itself: "prepare", "launch" or "finish".
class Phase {
 public:
  Phase(Lesson& lesson, WorkerCase& at) : lesson_(lesson), at_(at) {}
  WorkerReply go_through(const std::string& phase);

 private:
  Lesson& lesson_;
  WorkerCase& at_;
};

/// Inside a catch (...): what to answer the judge when an order could not be carried out.
/// @throws what is no std::exception
nlohmann::json answer_to_exception();

/// Inside a catch (...): what left the rung, in the reply.
void note_exception(WorkerReply& reply);

/// Runs timed launches for a while. Outputs are poisoned, caches chilled and the set of arrays changed before
/// each.
/// @param seconds  wall-clock time to go on for at least
/// @param least    launches to do at least
/// @return {"samples": [milliseconds...]}, or a WorkerReply when a launch failed
nlohmann::json run_batch(Lesson& lesson, WorkerCase& at, int poison, double seconds, int least);

/// @return false when any of the reply's parts reports an error
bool succeeded(const WorkerReply& reply);

}  // namespace ladder
