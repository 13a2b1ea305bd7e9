// One case on one rung: run it twice with different poisons, and compare everything.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grader/judge/cases/compare.h"
#include "grader/judge/cases/secret.h"
#include "grader/judge/explain/explain.h"
#include "grader/judge/remote_worker.h"
#include "grader/lesson/lesson.h"

namespace ladder {

/// A problem with its truth, and the memory that a worker puts its results into.
struct PreparedCase {
  Problem problem;
  std::vector<SharedBytes> results;  ///< per buffer: [guard][offset][data][guard]
  std::uint64_t guard_seed = 0;      ///< of the guard bands; the rung's process gets it
  std::uint64_t order_seed = 0;   ///< of the order of blocks and warps in the second run; it gets that, too
  std::uint64_t poison_seed = 0;  ///< which poison that run has
  double reference_ms = 0;        ///< time of the CPU reference
  bool closely = false;           ///< runs are looked at closely: see Device::look_closely()
  const Case& which() const { return problem.which(); }
  std::size_t bytes() const;  ///< of all shared memory
  std::size_t files() const;  ///< that are open for it
  /// The data of buffer @p index as the last run left it.
  std::span<const std::byte> got(std::size_t index) const;
};

/// What tells a case from all others of its lesson.
std::string key_of(const Case& which);

/// Declares, fills and solves a case. The same secret and
/// case give the same data, whichever cases came before.
/// @param values  of which kind, where several sets of values are wanted for a case
/// @throws whatever the lesson throws
std::unique_ptr<PreparedCase> prepare_case(const Lesson& lesson, const Case& which, const Secret& secret,
                                           std::string_view values = "values");

/// How a rung did on a case.
struct CaseResult {
  Explanation words;  ///< outcome passed when all is well; for wrong values only the outcome is filled in
  bool worker_lost = false;  ///< the process ended, or its CUDA context is beyond use
  std::vector<sim::Finding> findings;
  std::vector<sim::KernelRecord> kernels;      ///< of the last run
  std::map<std::string, std::uint64_t> calls;  ///< of the CUDA runtime, by name, in the last run
  double elapsed_ms = 0;                       ///< of the last run
  std::size_t sets = 1;                        ///< copies of the arrays that the worker made
  std::size_t run = 0;                         ///< number of the run that went wrong, of those asked for
  // Wrong values:
  std::size_t buffer = 0;  ///< index of the output
  int poison = -1;         ///< what filled it before the run that went wrong
  Mismatches wrong;
  std::vector<std::byte> got;    ///< the output's data after that run
  std::vector<std::byte> other;  ///< its data after a run with another poison, if that run came to an end
  int other_poison = -1;         ///< what filled it before that one
  std::vector<std::byte> again;  ///< its data after a further run, where one was made
  int again_poison = -1;         ///< what filled it before that one
  bool passed() const { return words.outcome == Outcome::passed; }
};

/// Sends a case to a worker.
/// @param sets  copies of the arrays wanted for timing, at least 1
CaseResult send_case(RemoteWorker& worker, PreparedCase& prepared, int sets);

/// Runs the case that was sent, with each of @p poisons in turn, and judges the results. When the first run
/// gives wrong values, a second with kPoisonSmall shows whether they depend on what the outputs held before.
/// @param from  number of the run to begin with: those before it are left out
CaseResult run_case(RemoteWorker& worker, PreparedCase& prepared, const std::vector<int>& poisons,
                    std::size_t from = 0);

/// Runs the case that was sent, and has passed, once more: the arrays are the same, and hold other values.
/// @param other  the same case with these values; as it was afterwards
CaseResult run_with_other_values(RemoteWorker& worker, PreparedCase& prepared, PreparedCase& other);

/// Runs the case that was sent again and again, each time with another of its launches
/// and allocations failing: the rung has to return that error, or an exception has to
/// leave it, or its results are right all the same. What happens where it goes on
/// without what it could not get does not count, nor where it ends so.
/// @param prepared  the case
CaseResult run_failing(RemoteWorker& worker, PreparedCase& prepared);

/// Words for an answer to anything but a case: an error in
/// it, or an ending. @return passed when there is neither
Explanation explain_answer(std::variant<nlohmann::json, Ending> answer);

/// Judges what stands in the results' memory.
CaseResult judge_results(const PreparedCase& prepared, int poison);

// Bytes that fill outputs before a run. NaN for every floating-point type; then, so that a maximum, a minimum
// or a sum taken over old contents cannot hide, values that are huge, hugely negative, and of ordinary size.
inline constexpr int kPoisonNan = 0xFF;
inline constexpr int kPoisonHuge = 0x7B;
inline constexpr int kPoisonNegative = 0xFB;
inline constexpr int kPoisonSmall = 0x41;

/// The two poisons for a case: NaN, and one of the others by turns.
std::vector<int> poisons_for(const PreparedCase& prepared);

}  // namespace ladder
