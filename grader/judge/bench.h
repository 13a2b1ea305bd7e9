// What all rungs of a run share.
#pragma once

#include "grader/judge/cases/case_store.h"
#include "grader/judge/rung_process.h"

namespace ladder {

class SideRuns;

/// The lesson, its cases and what was asked for.
struct Bench {
  const RunRequest& options;
  const EventSink& emit;
  const Lesson& lesson;
  std::vector<Case> checks;  ///< of all rungs
  std::vector<Case> timed;   ///< of all rungs
  std::vector<Case> giants;  ///< of all rungs: see giant.h
  Secret secret;
  CaseStore store;
  std::size_t device_bytes = 0;  ///< of memory, as a process without any rung in it found
  SideRuns* beside = nullptr;    ///< of the only rung, where there are some

  /// The check cases that apply to a rung, or to a variation of it, "2_fused.no_guard".
  std::vector<Case> checks_of(std::string_view rung) const;
  /// The same of the giant cases.
  std::vector<Case> giants_of(std::string_view rung) const;
  /// The case a rung is timed at, if any.
  /// @param round  0: at the lesson's main size, which is the first timed case that applies to the rung;
  ///               k: at the k-th further one
  std::optional<Case> timed_of(std::string_view rung, std::size_t round = 0) const;
};

/// Whether a case was left out because the device is too small for it. That word comes from the process which
/// the rung runs in: it is believed of cases that are large for the device and else turned into a failure.
/// @param result  of the run; changed where the word is not believed
/// @param sets    copies of the arrays that were asked for
bool has_no_room(const Bench& bench, const PreparedCase& prepared, CaseResult& result, int sets = 1);

/// A verdict with nothing but an outcome and its words.
Verdict verdict_of(const Bench& bench, const std::string& rung, const Explanation& words);

}  // namespace ladder
