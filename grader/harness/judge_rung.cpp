#include "grader/harness/judge_rung.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>

#include "grader/harness/device.h"
#include "grader/harness/diagnose/evidence.h"
#include "grader/harness/shrink.h"

namespace ladder {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kShrinkTime = std::chrono::seconds(4);
constexpr int kShrinkRuns = 32;
constexpr std::int64_t kShrinkElements = 1 << 22;  // smaller cases of larger ones would take too long to make
constexpr std::int64_t kTellingElements = 1000;    // enough for the pattern of a mistake to show

std::int64_t volume(const Case& which) {
  std::int64_t product = 1;
  for (const auto& [name, extent] : which.extents)
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product)) return INT64_MAX;
  return product;
}

/// A case that fails, with what came out of it.
struct Failure {
  std::shared_ptr<PreparedCase> prepared;
  CaseResult result;
};

std::int64_t threads_of(const std::vector<sim::KernelRecord>& kernels) {
  if (kernels.empty()) return 0;
  const auto& block = kernels.back().block;
  return static_cast<std::int64_t>(block[0]) * block[1] * block[2];
}

diagnose::Evidence evidence_of(const Failure& failure) {
  const auto buffers = failure.prepared->problem.buffers();
  const CaseResult& result = failure.result;
  return {.buffer = buffers[result.buffer],
          .got = result.got,
          .poison = result.poison,
          .wrong = result.wrong,
          .other = result.other,
          .other_poison = result.poison >= 0 ? result.other_poison : -1,
          .buffers = buffers,
          .block_threads = threads_of(result.kernels)};
}

class Explainer {
 public:
  Explainer(Bench& bench, Session& session, const std::string& name)
      : bench_(bench), session_(session), name_(name) {}

  /// @param findings  set to those of the case that is shown
  Words explain(Failure failure, std::vector<sim::Finding>& findings) {
    const Outcome outcome = failure.result.words.outcome;
    const std::string first_label = failure.prepared->which().label();
    diagnose::Diagnosis diagnosis;
    if (outcome == Outcome::wrong_values) {
      const Failure shown = telling(failure);
      diagnosis = diagnose::diagnose(evidence_of(shown));
    }
    const Failure smallest = worth_shrinking(outcome) ? shrunk(std::move(failure)) : std::move(failure);
    findings = smallest.result.findings;
    Words words = smallest.result.words;
    const std::string label = smallest.prepared->which().label();
    if (outcome == Outcome::wrong_values) {
      words.headline = "wrong values: " + diagnosis.headline;
      words.advice = diagnosis.advice;
      words.detail = values_in_words(smallest);
    } else {
      words.detail = fmt::format("{}{}With {}.", words.detail, words.detail.empty() ? "" : "\n", label);
    }
    if (label != first_label)
      words.detail += fmt::format("\n(the smallest failing case found; {} fails, too)", first_label);
    return words;
  }

 private:
  static bool worth_shrinking(Outcome outcome) {
    return outcome == Outcome::wrong_values || outcome == Outcome::wrote_outside ||
           outcome == Outcome::input_changed || outcome == Outcome::crashed ||
           outcome == Outcome::launch_failed || outcome == Outcome::finding;
  }

  Failure attempt(const Case& which) {
    Failure failure{bench_.store.make(which), {}};
    failure.result = session_.run(*failure.prepared, poisons_for(*failure.prepared));
    return failure;
  }

  /// The failing case itself, or a larger one that fails as well and shows more of the pattern.
  Failure telling(const Failure& failure) {
    const auto elements = failure.result.wrong.elements;
    if (elements >= kTellingElements) return failure;
    const Case& small = failure.prepared->which();
    for (const Case& which : bench_.checks_of(name_)) {
      if (which.variant != small.variant || volume(which) < kTellingElements ||
          volume(which) > kShrinkElements)
        continue;
      Failure larger = attempt(which);
      if (larger.result.words.outcome == Outcome::wrong_values) return larger;
      break;
    }
    return failure;
  }

  Failure shrunk(Failure failure) {
    const Case start = failure.prepared->which();
    if (volume(start) > kShrinkElements) return failure;
    const auto deadline = Clock::now() + kShrinkTime;
    bench_.emit({{"event", "shrinking"}, {"rung", name_}, {"label", start.label()}});
    Case check = start;
    check.use = Case::Use::check;
    shrink(
        check, [&](const Case& which) { return bench_.lesson.valid(which); },
        [&](const Case& which) {
          if (Clock::now() > deadline) return false;
          Failure smaller = attempt(which);
          if (smaller.result.words.outcome != failure.result.words.outcome) return false;
          failure = std::move(smaller);
          return true;
        },
        kShrinkRuns);
    return failure;
  }

  static std::string values_in_words(const Failure& failure) {
    const auto buffers = failure.prepared->problem.buffers();
    std::string text = failure.prepared->which().label() + ":\n";
    if (const std::string inputs = diagnose::inputs_in_words(buffers); !inputs.empty()) text += inputs + "\n";
    return text + diagnose::picture(evidence_of(failure));
  }

  Bench& bench_;
  Session& session_;
  const std::string& name_;
};

}  // namespace

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
}  // namespace

std::vector<Case> Bench::checks_of(std::string_view rung) const {
  std::vector<Case> mine;
  std::copy_if(checks.begin(), checks.end(), std::back_inserter(mine),
               [&](const Case& which) { return lesson.applies(which, rung_of(rung)); });
  return mine;
}

std::optional<Case> Bench::timed_of(std::string_view rung, std::size_t round) const {
  for (const Case& which : timed)
    if (lesson.applies(which, rung_of(rung)) && round-- == 0) return which;
  return std::nullopt;
}

Verdict verdict_of(const Bench& bench, const std::string& rung, const Words& words) {
  Verdict verdict;
  verdict.lesson = bench.options.lesson_name;
  verdict.rung = rung;
  verdict.outcome = words.outcome;
  verdict.headline = words.headline;
  verdict.detail = words.detail;
  verdict.advice = words.advice;
  verdict.cases_total = static_cast<int>(bench.checks_of(rung).size() + (bench.timed_of(rung) ? 1 : 0));
  return verdict;
}

void explain_failure(Bench& bench, Session& session, Verdict& verdict, std::shared_ptr<PreparedCase> prepared,
                     CaseResult result) {
  verdict.findings.clear();
  const Words words = Explainer(bench, session, verdict.rung)
                          .explain({std::move(prepared), std::move(result)}, verdict.findings);
  session.stop();
  verdict.outcome = words.outcome;
  verdict.headline = words.headline;
  verdict.detail = words.detail;
  verdict.advice = words.advice;
  if (const std::string printed = session.printed(); !printed.empty())
    verdict.detail += "\nYour program printed:\n" + printed;
}

Verdict check_rung(Bench& bench, Session& session, const std::string& name) {
  int passed = 0;
  int left_out = 0;
  int index = 0;
  std::vector<sim::Finding> notes;
  const std::vector<Case> checks = bench.checks_of(name);
  const int total = verdict_of(bench, name, {}).cases_total;
  if (checks.empty()) throw std::logic_error("the lesson has no case for '" + name + "'");
  for (const Case& which : checks) {
    ++index;
    if (const Words words = session.start(); words.outcome != Outcome::passed)
      return verdict_of(bench, name, words);
    Failure failure{bench.store.get(which), {}};
    failure.result = session.run(*failure.prepared, poisons_for(*failure.prepared));
    const bool no_room = has_no_room(bench, *failure.prepared, failure.result);
    const bool good = failure.result.passed() || no_room;
    bench.emit({{"event", "case"},
                {"rung", name},
                {"label", which.label()},
                {"index", index},
                {"total", total},
                {"passed", good}});
    for (const auto& finding : failure.result.findings)
      if (notes.size() < 16) notes.push_back(finding);
    if (good) {
      passed += no_room ? 0 : 1;
      left_out += no_room ? 1 : 0;
      continue;
    }
    Verdict verdict = verdict_of(bench, name, {});
    verdict.cases_passed = passed;
    explain_failure(bench, session, verdict, failure.prepared, std::move(failure.result));
    return verdict;
  }
  Verdict verdict = verdict_of(bench, name, {});
  verdict.headline = "passed";
  verdict.cases_passed = passed + left_out;
  verdict.findings = notes;
  if (passed == 0) {
    verdict.outcome = Outcome::not_run;
    verdict.headline = "this device has no room for any of the cases";
  }
  return verdict;
}

}  // namespace ladder
