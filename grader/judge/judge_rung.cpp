#include "grader/judge/judge_rung.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "grader/judge/cases/giant_case.h"
#include "grader/judge/explain/explain_failure.h"
#include "grader/lesson/offset.h"
#include "grader/worker/device/device.h"

namespace ladder {

bool has_no_room(const Bench& bench, const PreparedCase& prepared, CaseResult& result, int sets) {
  if (result.words.outcome != Outcome::not_run || !result.findings.empty()) return false;
  constexpr std::size_t kShare = 16;  // of the device's memory: others may be using the rest
  const std::size_t needed = prepared.bytes() / 2 * static_cast<std::size_t>(sets);
  if (needed >= bench.device_bytes / kShare) return true;
  result.words = {
      Outcome::out_of_memory,
      fmt::format("out of memory: no room was left for {} MiB of arrays on a device of {} MiB",
                  (needed >> 20) + 1, bench.device_bytes >> 20),
      result.words.headline,
      "Does the rung keep memory that it allocated, from earlier calls or from before the first?"};
  result.worker_lost = true;
  return false;
}

namespace {
/// Of "2_fused.no_guard", a variation of a rung, the rung.
std::string_view rung_of(std::string_view name) { return name.substr(0, name.find('.')); }

bool is_baseline(const Bench& bench, std::string_view name) {
  const auto& all = bench.options.baselines;
  return std::any_of(all.begin(), all.end(), [&](const RungSpec& spec) { return spec.name == name; });
}

std::vector<Case> those_of(const Bench& bench, const std::vector<Case>& all, std::string_view rung) {
  // A library may want more of an address than the contract promises.
  const bool aligned = is_baseline(bench, rung);
  std::vector<Case> mine;
  std::copy_if(all.begin(), all.end(), std::back_inserter(mine), [&](const Case& which) {
    return bench.lesson.applies(which, rung_of(rung)) && !(aligned && has_offset(which));
  });
  return mine;
}
}  // namespace

std::vector<Case> Bench::checks_of(std::string_view rung) const { return those_of(*this, checks, rung); }

std::vector<Case> Bench::giants_of(std::string_view rung) const { return those_of(*this, giants, rung); }

std::optional<Case> Bench::timed_of(std::string_view rung, std::size_t round) const {
  for (const Case& which : timed)
    if (lesson.applies(which, rung_of(rung)) && round-- == 0) return which;
  return std::nullopt;
}

Verdict verdict_of(const Bench& bench, const std::string& rung, const Explanation& words) {
  Verdict verdict;
  verdict.lesson = bench.options.lesson_name;
  verdict.rung = rung;
  verdict.baseline = is_baseline(bench, rung);
  verdict.outcome = words.outcome;
  verdict.headline = words.headline;
  verdict.detail = words.detail;
  verdict.advice = words.advice;
  verdict.diagnosis = words.diagnosis;
  verdict.told_first = words.finding;
  verdict.failed_case = words.failed_case;
  verdict.cases_total = static_cast<int>(bench.checks_of(rung).size() + bench.giants_of(rung).size() +
                                         (bench.timed_of(rung) ? 1 : 0));
  return verdict;
}

namespace {
constexpr int kLooks = 2;                             ///< cases that are looked at again
constexpr std::size_t kSmall = std::size_t{1} << 20;  ///< bytes

/// Whether a rung that remembers what arrays held would show it by this case.
bool remembers_shows(const PreparedCase& prepared) {
  const auto buffers = prepared.problem.buffers();
  const bool has_values = std::any_of(buffers.begin(), buffers.end(), [](const Buffer& buffer) {
    return buffer.role != Buffer::Role::output && buffer.size_bytes() > 0;
  });
  const bool has_results = std::any_of(buffers.begin(), buffers.end(), [](const Buffer& buffer) {
    return buffer.role != Buffer::Role::input && buffer.size_bytes() > 0;
  });
  return has_values && has_results && prepared.bytes() < kSmall;
}

/// Whether two sets of values fit into the same arrays: how long a result is may follow from the values.
bool are_alike(const Problem& one, const Problem& other) {
  const auto ours = one.buffers(), theirs = other.buffers();
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [](const Buffer& a, const Buffer& b) { return a.shape == b.shape; });
}

/// The case that has just passed, with other values in the
/// same arrays. @return the verdict where that goes wrong
std::optional<Verdict> look_again(Bench& bench, RungProcess& process, const std::string& name,
                                  PreparedCase& prepared) {
  const auto other = bench.store.make_other(prepared.which());
  if (!are_alike(prepared.problem, other->problem)) return std::nullopt;
  CaseResult again = process.run_with(prepared, *other);
  if (again.passed()) return std::nullopt;
  Verdict verdict = verdict_of(bench, name, {});
  explain_other_values(bench, process, verdict, other, std::move(again));
  return verdict;
}

/// The case once more, with launches and allocations that fail. @return the verdict where an error is lost
std::optional<Verdict> look_at_errors(Bench& bench, RungProcess& process, const std::string& name,
                                      const Case& which) {
  const auto prepared = bench.store.get(which);
  const CaseResult result = process.run_failing(*prepared);
  if (result.passed()) return std::nullopt;
  Verdict verdict = verdict_of(bench, name, result.words);
  verdict.detail += fmt::format("{}With {}.", verdict.detail.empty() ? "" : "\n", which.label());
  verdict.failed_case = which.label();
  return verdict;
}
}  // namespace

Verdict check_rung(Bench& bench, RungProcess& process, const std::string& name) {
  int passed = 0;
  int left_out = 0;
  int index = 0;
  int looks = 0;
  std::optional<Case> small;
  std::vector<sim::Finding> notes;
  const std::vector<Case> checks = bench.checks_of(name);
  const int total = verdict_of(bench, name, {}).cases_total;
  if (checks.empty()) throw std::logic_error("the lesson has no case for '" + name + "'");
  for (const Case& which : checks) {
    ++index;
    if (const Explanation words = process.start(); words.outcome != Outcome::passed)
      return verdict_of(bench, name, words);
    const auto prepared = bench.store.get(which);
    CaseResult result = process.run(*prepared, poisons_for(*prepared));
    const bool no_room = has_no_room(bench, *prepared, result);
    const bool good = result.passed() || no_room;
    bench.emit(event::CaseDone{name, which.label(), index, total, good});
    for (const auto& finding : result.findings)
      if (notes.size() < 16) notes.push_back(finding);
    if (good) {
      passed += no_room ? 0 : 1;
      left_out += no_room ? 1 : 0;
      if (no_room || looks == kLooks || !remembers_shows(*prepared)) continue;
      ++looks;
      small = which;
      if (std::optional<Verdict> verdict = look_again(bench, process, name, *prepared)) {
        verdict->cases_passed = passed;
        return *verdict;
      }
      continue;
    }
    Verdict verdict = verdict_of(bench, name, {});
    verdict.cases_passed = passed;
    explain_failure(bench, process, verdict, prepared, std::move(result));
    return verdict;
  }
  for (const Case& which : bench.giants_of(name)) {
    const auto& lesson = dynamic_cast<const Giant&>(bench.lesson);
    const CaseResult result = run_giant(process, lesson, which, bench.secret.number("giant", which.label()));
    bench.emit(event::CaseDone{name, which.label(), ++index, total, result.passed()});
    if (!result.passed()) {
      Verdict verdict = verdict_of(bench, name, result.words);
      verdict.cases_passed = passed;
      verdict.findings = result.findings;
      verdict.failed_case = which.label();
      process.stop();
      return verdict;
    }
    ++passed;
  }
  if (small && device().modelled()) {
    if (std::optional<Verdict> verdict = look_at_errors(bench, process, name, *small)) {
      verdict->cases_passed = passed;
      return *verdict;
    }
  }
  Verdict verdict = verdict_of(bench, name, {});
  verdict.headline = "passed";
  verdict.printed = process.printed();
  verdict.cases_passed = passed + left_out;
  verdict.findings = notes;
  if (passed == 0) {
    verdict.outcome = Outcome::not_run;
    verdict.headline = "this device has no room for any of the cases";
  }
  return verdict;
}

}  // namespace ladder
