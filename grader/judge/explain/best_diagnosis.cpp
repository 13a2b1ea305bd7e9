#include "grader/judge/explain/best_diagnosis.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "grader/judge/explain/as_if.h"

namespace ladder {
namespace {

constexpr std::int64_t kMostLookedThrough = 1 << 14;  // of an output that the reference makes again and again

/// The diagnosis of one failure. Where two runs differ, further ones tell why.
diagnose::Diagnosis diagnosed(FurtherRuns& runs, Failure& failure) {
  auto diagnosis = diagnose::diagnose(evidence_of(failure));
  if (diagnosis.cause == diagnose::Cause::differs_between_runs && runs.run_again(failure))
    diagnosis = diagnose::diagnose(evidence_of(failure));
  diagnosis.of_case = failure.label();
  return diagnosis;
}

/// Of an array with one row or column, what is turned, reversed or exchanged may look like something else: a
/// transpose of a row is its copy.
bool may_be_shape_alone(const Failure& failure, diagnose::Cause cause) {
  using enum diagnose::Cause;
  if (cause != input_copied && cause != swapped_axes && cause != permuted_axes && cause != reversed)
    return false;
  const auto& extents = failure.prepared->which().extents;
  const auto ones =
      std::count_if(extents.begin(), extents.end(), [](const auto& e) { return e.second == 1; });
  return extents.size() > 1 && ones > 0;
}

/// Of a small case any pattern may be chance: a larger one that fails as well shows more.
diagnose::Diagnosis best_of_all(FurtherRuns& runs, Failure& failure, std::vector<Failure>& others) {
  const auto of_failure = diagnosed(runs, failure);
  const bool telling =
      failure.result.wrong.elements >= kTellingElements && !may_be_shape_alone(failure, of_failure.cause);
  if (telling && !diagnose::is_place(of_failure.cause)) return of_failure;
  const bool has_rule = !diagnose::is_weak(of_failure.cause) && !diagnose::is_place(of_failure.cause);
  std::optional<diagnose::Diagnosis> weak, place, thin;
  if (telling) place = of_failure;
  for (const bool same_variant : {true, false}) {
    // Which part of an input a single result has in it is as plain with few elements.
    if (!same_variant && of_failure.cause == diagnose::Cause::partial_reduction) return of_failure;
    for (Failure& larger : others) {
      const Case &a = larger.prepared->which(), &b = failure.prepared->which();
      if ((a.variant == b.variant) != same_variant || volume(a) < kTellingElements) continue;
      diagnose::Diagnosis seen = diagnosed(runs, larger);
      // A rule that a small case is wrong by says more than these do of a large one. But one element of an
      // output that may have many follows any rule, though it is seldom nearly right by chance.
      const bool alone = failure.result.wrong.elements == 1 && larger.result.wrong.elements > 1 &&
                         of_failure.cause != diagnose::Cause::low_precision;
      if (diagnose::yields_to_a_rule(seen.cause) && has_rule && !alone) return of_failure;
      if (may_be_shape_alone(larger, seen.cause)) {
        thin = std::move(seen);
        continue;
      }
      // A place may be where values of one kind happen to lie.
      if (place && seen.cause != diagnose::Cause::by_input_value) continue;
      if (diagnose::is_place(seen.cause)) {
        place = std::move(seen);
        continue;
      }
      if (!diagnose::is_weak(seen.cause)) return seen;
      if (!weak) weak = std::move(seen);
    }
  }
  if (thin && !place && !weak) return *thin;
  if (place) return *place;
  // A few values in wrong places may stand as those of the input do by chance.
  const bool by_chance =
      weak && of_failure.cause == diagnose::Cause::input_copied && weak->cause == diagnose::Cause::misplaced;
  return weak && (!has_rule || by_chance) ? *weak : of_failure;
}

/// Of the failed cases the one with the most wrong elements tells most.
std::optional<diagnose::Diagnosis> read_otherwise(const Bench& bench, const Failure& failure,
                                                  const std::vector<Failure>& others) {
  const Failure* most = &failure;
  const Failure* next = nullptr;
  for (const Failure& other : others) {
    if (other.result.wrong.elements > kMostLookedThrough) continue;
    const bool more = other.result.wrong.count > most->result.wrong.count;
    if (more)
      next = std::exchange(most, &other);
    else if (next == nullptr || other.result.wrong.count > next->result.wrong.count)
      next = &other;
  }
  if (next != nullptr && (next->result.buffer != most->result.buffer ||
                          next->prepared->which().variant != most->prepared->which().variant))
    next = nullptr;
  return as_if_read_otherwise(bench, *most, next);
}

}  // namespace

diagnose::Diagnosis best_diagnosis(const Bench& bench, FurtherRuns& runs, Failure& failure,
                                   std::vector<Failure>& others) {
  diagnose::Diagnosis diagnosis = best_of_all(runs, failure, others);
  if (diagnose::is_weak(diagnosis.cause) || diagnose::is_place(diagnosis.cause))
    if (auto known = read_otherwise(bench, failure, others)) return std::move(*known);
  return diagnosis;
}

}  // namespace ladder
