#include "grader/judge/explain/further_runs.h"

#include <algorithm>
#include <chrono>

#include "grader/judge/cases/shrink.h"
#include "grader/lesson/element.h"

namespace ladder {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr auto kShrinkTime = std::chrono::seconds(4);
constexpr int kShrinkRuns = 32;
constexpr std::int64_t kLookedThrough = 1 << 16;  // elements of a case that is run for another view of a race
constexpr std::int64_t kShrinkElements = 1 << 22;  // smaller cases of larger ones would take too long to make

/// Whether two results are the same, but for the order that sums were taken in.
bool agree(const Failure& failure, std::span<const std::byte> a, std::span<const std::byte> b) {
  const Buffer& buffer = failure.prepared->problem.buffers()[failure.result.buffer];
  for (std::int64_t i = 0; i < buffer.elements(); ++i)
    if (!acceptable(element_at(buffer.type, a.data(), i), element_at(buffer.type, b.data(), i),
                    buffer.tolerance))
      return false;
  return true;
}

/// The cure of a failure's first finding where that is a race, else none.
sim::Cure::Kind cure_of_race(const Failure& failure) {
  const auto& all = failure.result.findings;
  const auto at =
      std::find_if(all.begin(), all.end(), [](const auto& f) { return f.severity == sim::Severity::error; });
  return at == all.end() || at->kind != sim::FindingKind::race ? sim::Cure::none : at->cure.kind;
}

/// The kind of the finding that a failure is told by; none where it is told by something else.
std::optional<sim::FindingKind> kind_told(const Failure& failure) {
  const std::optional<std::size_t> told = failure.result.words.finding;
  if (!told || *told >= failure.result.findings.size()) return std::nullopt;
  return failure.result.findings[*told].kind;
}

bool is_between_warps(const Failure& failure) { return cure_of_race(failure) == sim::Cure::block_barrier; }

/// What the output that is wrong holds after a further run; none where that failed otherwise.
std::optional<std::vector<std::byte>> output_after(const Failure& failure, CaseResult run) {
  const std::size_t buffer = failure.result.buffer;
  if (run.passed()) {
    const auto got = failure.prepared->got(buffer);
    return std::vector<std::byte>(got.begin(), got.end());
  }
  if (run.words.outcome != Outcome::wrong_values || run.buffer != buffer) return std::nullopt;
  return std::move(run.got);
}

}  // namespace

bool FurtherRuns::is_kept_between_calls(const Failure& failure) {
  const auto poisons = poisons_for(*failure.prepared);
  const std::vector<Case> checks = bench_.checks_of(rung_);
  const bool was_first = failure.result.run == 0 && failure.label() == checks.front().label();
  if (was_first || failure.result.run >= poisons.size()) return false;
  return process_.run_afresh(*failure.prepared, poisons, failure.result.run).passed();
}

bool FurtherRuns::run_again(Failure& failure) {
  CaseResult& result = failure.result;
  if (result.poison < 0 || result.other_poison < 0) return false;
  const bool first_failed = result.run == 0;
  const int first = first_failed ? result.poison : result.other_poison,
            second = first_failed ? result.other_poison : result.poison;
  PreparedCase& prepared = *failure.prepared;
  std::optional<std::vector<std::byte>> of_first, of_second;
  // Of a race the outcomes are few: one run may agree by chance.
  for (const std::size_t order : {0U, 0U, 1U})
    for (const int poison : {first, second}) {
      auto got = output_after(failure, order == 0 ? process_.run(prepared, {poison})
                                                  : process_.run_afresh(prepared, {poison, poison}, order));
      auto& before = poison == first ? of_first : of_second;
      if (!got || (before && !agree(failure, *before, *got))) return false;
      before = std::move(got);
    }
  result.again = std::move(*of_second);
  result.again_poison = second;
  return true;
}

Failure FurtherRuns::looked_at_closely(const Failure& failure) {
  PreparedCase& prepared = *failure.prepared;
  prepared.closely = true;
  Failure seen{failure.prepared, process_.run_afresh(prepared, {kPoisonNan}, 0)};
  prepared.closely = false;
  return seen;
}

Failure FurtherRuns::attempt(const Case& which) {
  Failure failure{bench_.store.make(which), {}};
  failure.result = process_.run(*failure.prepared, poisons_for(*failure.prepared));
  return failure;
}

Failure FurtherRuns::between_warps(Failure failure) {
  if (cure_of_race(failure) != sim::Cure::barrier_or_warp_barrier) return failure;
  const auto deadline = SteadyClock::now() + kShrinkTime;
  const Case smaller = failure.prepared->which();
  for (const Case& which : bench_.checks_of(rung_)) {
    if (which.variant != smaller.variant || volume(which) <= volume(smaller) ||
        volume(which) > kLookedThrough)
      continue;
    if (SteadyClock::now() > deadline) break;
    if (Failure larger = attempt(which); is_between_warps(larger)) return larger;
  }
  return failure;
}

Failure FurtherRuns::shrunk(Failure failure, Survey& seen) {
  const Case start = failure.prepared->which();
  if (volume(start) > kShrinkElements) return failure;
  const auto deadline = SteadyClock::now() + kShrinkTime;
  bench_.emit(event::Shrinking{rung_, start.label()});
  Case check = start;
  check.use = Case::Use::check;
  shrink(
      check, [&](const Case& which) { return bench_.lesson.valid(which); },
      [&](const Case& which) {
        if (SteadyClock::now() > deadline) return false;
        Failure smaller = attempt(which);
        if (failure.outcome() == Outcome::wrong_values) {
          if (smaller.outcome() == Outcome::finding && !seen.finding) seen.finding = smaller;
          if (smaller.outcome() == Outcome::passed || smaller.outcome() == Outcome::wrong_values)
            seen.tried.push_back({which, smaller.result.passed()});
        }
        if (smaller.outcome() != failure.outcome()) return false;
        // What is misaligned in a long row may be out of bounds in one that is too short for it.
        if (kind_told(smaller) != kind_told(failure)) return false;
        // A case may be so small that the lanes of one warp are all that is left of it.
        if (is_between_warps(failure) && !is_between_warps(smaller)) return false;
        failure = std::move(smaller);
        return true;
      },
      kShrinkRuns);
  return failure;
}

}  // namespace ladder
