#include "grader/judge/check_rung.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "grader/judge/cases/giant_case.h"
#include "grader/judge/explain/explain_failure.h"
#include "grader/judge/side_runs.h"
#include "grader/worker/device/device.h"
#include "language/catalogue.h"
#include "simulator/report/fold.h"

namespace ladder {
namespace {

constexpr std::size_t kMostNotes = 16;  ///< findings of a rung that passes

constexpr int kLooks = 2;                             ///< cases that are looked at again
constexpr std::size_t kSmall = std::size_t{1} << 20;  ///< bytes

/// Whether a case is small and has results.
bool is_small_with_results(const PreparedCase& prepared) {
  const auto buffers = prepared.problem.buffers();
  return prepared.bytes() < kSmall && std::any_of(buffers.begin(), buffers.end(), [](const Buffer& buffer) {
           return buffer.role != Buffer::Role::input && buffer.size_bytes() > 0;
         });
}

/// Whether a rung that remembers what arrays held would show it by this case.
bool remembers_shows(const PreparedCase& prepared) {
  const auto buffers = prepared.problem.buffers();
  return is_small_with_results(prepared) && std::any_of(buffers.begin(), buffers.end(), [](const Buffer& b) {
           return b.role != Buffer::Role::output && b.size_bytes() > 0;
         });
}

/// Whether two sets of values fit into the same arrays: how long a result is may follow from the values.
bool are_alike(const Problem& one, const Problem& other) {
  const auto ours = one.buffers(), theirs = other.buffers();
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [](const Buffer& a, const Buffer& b) { return a.shape == b.shape; });
}

/// A rung's cases, one after the other, until one fails.
class RungCheck {
 public:
  RungCheck(Bench& bench, RungProcess& process, const std::string& name)
      : bench_(bench), process_(process), name_(name), total_(verdict_of(bench, name, {}).cases_total) {}

  Verdict run() {
    const std::vector<Case> checks = bench_.checks_of(name_);
    if (checks.empty()) throw std::logic_error("the lesson has no case for '" + name_ + "'");
    for (const Case& which : checks) {
      if (auto failed = check(which)) return *failed;
      if (bench_.beside != nullptr && 4 * static_cast<std::size_t>(passed_) >= checks.size())
        bench_.beside->begin();
    }
    for (const Case& which : bench_.giants_of(name_))
      if (auto failed = check_giant(which)) return *failed;
    if (small_ && device().modelled())
      if (auto failed = look_at_errors(*small_)) return *failed;
    return passed();
  }

 private:
  // Each of these: @return the verdict where the case fails

  std::optional<Verdict> check(const Case& which) {
    ++index_;
    if (const Explanation words = process_.start(); words.outcome != Outcome::passed)
      return verdict_of(bench_, name_, words);
    const auto prepared = bench_.store.get(which);
    CaseResult result = process_.run(*prepared, poisons_for(*prepared));
    const bool no_room = has_no_room(bench_, *prepared, result);
    const bool good = result.passed() || no_room;
    bench_.emit(event::CaseDone{name_, which.label(), index_, total_, good});
    notes_.insert(notes_.end(), result.findings.begin(), result.findings.end());
    notes_ = sim::fold(std::move(notes_));
    if (notes_.size() > kMostNotes) notes_.resize(kMostNotes);
    if (!good) {
      Verdict verdict = failed({});
      explain_failure(bench_, process_, verdict, prepared, std::move(result));
      return verdict;
    }
    ++(no_room ? left_out_ : passed_);
    if (no_room || looks_ == kLooks) return std::nullopt;
    if (!small_ && is_small_with_results(*prepared)) small_ = which;
    if (!remembers_shows(*prepared)) return std::nullopt;
    ++looks_;
    small_ = which;
    return look_again(*prepared);
  }

  /// The case that has just passed, with other values in the same arrays.
  std::optional<Verdict> look_again(PreparedCase& prepared) {
    const auto other = bench_.store.make_other(prepared.which());
    if (!are_alike(prepared.problem, other->problem)) return std::nullopt;
    CaseResult again = process_.run_with(prepared, *other);
    if (again.passed()) return std::nullopt;
    Verdict verdict = failed({});
    explain_other_values(bench_, process_, verdict, other, std::move(again));
    return verdict;
  }

  std::optional<Verdict> check_giant(const Case& which) {
    const Giant& lesson = giant_of(bench_.lesson, which);
    std::optional<CaseResult> beside;
    if (bench_.beside != nullptr) beside = bench_.beside->passed(which);
    const CaseResult result =
        beside ? std::move(*beside)
               : run_giant(process_, lesson, which, bench_.secret.number("giant", which.label()));
    bench_.emit(event::CaseDone{name_, which.label(), ++index_, total_, result.passed()});
    if (result.passed()) {
      ++passed_;
      return std::nullopt;
    }
    Verdict verdict = failed(result.words);
    verdict.findings = result.findings;
    verdict.failed_case = which.label();
    process_.stop();
    return verdict;
  }

  /// The case once more, with launches and allocations that fail.
  std::optional<Verdict> look_at_errors(const Case& which) {
    const auto prepared = bench_.store.get(which);
    const CaseResult result = process_.run_failing(*prepared);
    if (result.passed()) return std::nullopt;
    Verdict verdict = failed(result.words);
    verdict.detail += tr("{}With {}.", verdict.detail.empty() ? "" : "\n", which.label());
    verdict.failed_case = which.label();
    return verdict;
  }

  Verdict failed(const Explanation& words) const {
    Verdict verdict = verdict_of(bench_, name_, words);
    verdict.cases_passed = passed_;
    return verdict;
  }

  Verdict passed() const {
    Verdict verdict = verdict_of(bench_, name_, {});
    verdict.headline = "passed";
    verdict.printed = process_.printed();
    verdict.cases_passed = passed_ + left_out_;
    verdict.findings = notes_;
    if (passed_ == 0) {
      verdict.outcome = Outcome::not_run;
      verdict.headline = tr("this device has no room for any of the cases");
    }
    return verdict;
  }

  Bench& bench_;
  RungProcess& process_;
  const std::string& name_;
  const int total_;
  int index_ = 0, passed_ = 0, left_out_ = 0, looks_ = 0;
  std::optional<Case> small_;  ///< the last case that was looked at again; without any, the first small one
  std::vector<sim::Finding> notes_;
};

}  // namespace

Verdict check_rung(Bench& bench, RungProcess& process, const std::string& name) {
  return RungCheck(bench, process, name).run();
}

}  // namespace ladder
