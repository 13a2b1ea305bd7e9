#include "grader/judge/explain/explain_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "grader/judge/cases/shrink.h"
#include "grader/judge/diagnose/stores.h"
#include "grader/judge/explain/as_if.h"
#include "grader/judge/explain/survey.h"
#include "grader/lesson/element.h"

namespace ladder {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr auto kShrinkTime = std::chrono::seconds(4);
constexpr int kShrinkRuns = 32;
constexpr std::int64_t kShrinkElements = 1 << 22;  // smaller cases of larger ones would take too long to make
constexpr std::int64_t kMostLookedThrough = 1 << 14;  // of an output that the reference makes again and again
constexpr std::int64_t kTellingElements = 1000;       // enough for the pattern of a mistake to show

/// Whether a finding says that threads store one value to one place: no mistake by itself, but a trace of one
/// where values are wrong.
bool is_equal_stores(const sim::Finding& finding) {
  return finding.kind == sim::FindingKind::race && finding.severity != sim::Severity::error &&
         finding.access == sim::AccessKind::write && finding.other &&
         finding.other->access == sim::AccessKind::write;
}

constexpr std::string_view kLeak = "leak";  ///< a kind of finding that takes two calls to show

constexpr const char* kStoredAgainAdvice =
    "Does every block, or every thread, do the whole work? A loop over the elements goes on by the threads "
    "of the "
    "whole grid, gridDim.x * blockDim.x, and begins at the thread's own index in it.";

constexpr const char* kKeptAdvice =
    "Something outlives a call: a __device__ or static variable that is not set anew, or memory that is kept "
    "or reused and still holds what the call before left. Set it at the start of every call.";

/// What a rung that keeps something between calls is told.
/// @param when  it is wrong
Explanation kept_words(const Failure& failure, const std::string& when) {
  const Buffer& buffer = failure.prepared->problem.buffers()[failure.result.buffer];
  return {Outcome::wrong_values,
          fmt::format("wrong values: '{}' is right in the first call {}", buffer.name, when),
          values_in_words(failure),
          kKeptAdvice,
          to_string(diagnose::Cause::kept_between_calls),
          "",
          {},
          failure.label()};
}

class Explainer {
 public:
  Explainer(Bench& bench, RungProcess& process, const std::string& name)
      : bench_(bench), process_(process), name_(name) {}

  /// @param findings  set to those of the case that is shown
  Explanation explain(Failure failure, std::vector<sim::Finding>& findings) {
    if (failure.outcome() == Outcome::wrong_values) return explain_values(std::move(failure), findings);
    const std::string first = failure.label();
    const bool was_right = worth_shrinking(failure.outcome()) && failure.result.words.diagnosis != kLeak &&
                           is_kept_between_calls(failure);
    const Failure smallest = worth_shrinking(failure.outcome()) ? shrunk(std::move(failure)) : failure;
    Explanation words = told(smallest, first, findings);
    if (words.outcome == Outcome::timed_out) add_stores(words);
    if (was_right) {
      words.detail += fmt::format(
          "\nThe first call of a process passes with {}: this one starts from what an earlier call left.",
          first);
      words.advice = kKeptAdvice;
      words.diagnosis = to_string(diagnose::Cause::kept_between_calls);
    }
    return words;
  }

 private:
  static bool worth_shrinking(Outcome outcome) {
    return outcome == Outcome::wrong_values || outcome == Outcome::wrote_outside ||
           outcome == Outcome::input_changed || outcome == Outcome::crashed ||
           outcome == Outcome::launch_failed || outcome == Outcome::finding;
  }

  /// The words for all but wrong values.
  static Explanation told(const Failure& shown, const std::string& first,
                          std::vector<sim::Finding>& findings) {
    findings = shown.result.findings;
    Explanation words = shown.result.words;
    if (words.outcome == Outcome::finding && mind_empty_arrays(findings, shown.prepared->problem))
      words = explain_findings(findings);
    words.detail = fmt::format("{}{}With {}.", words.detail, words.detail.empty() ? "" : "\n", shown.label());
    words.failed_case = shown.label();
    add_first(words, shown, first);
    return words;
  }

  static void add_first(Explanation& words, const Failure& shown, const std::string& first) {
    if (shown.label() != first)
      words.detail += fmt::format("\n(the smallest failing case found; {} fails, too)", first);
  }

  Explanation explain_values(Failure failure, std::vector<sim::Finding>& findings) {
    const std::string first = failure.label();
    if (is_kept_between_calls(failure)) return kept_between_calls(failure, findings);
    seen_ = survey(bench_, process_, name_, failure);
    diagnose::Diagnosis diagnosis = best_diagnosis(failure);
    if (diagnose::is_weak(diagnosis.cause) || diagnose::is_place(diagnosis.cause))
      if (auto known = read_otherwise(failure)) diagnosis = std::move(*known);
    std::optional<Failure> found = std::move(seen_.finding);
    Failure smallest = shrunk(std::move(failure));
    if (!found && seen_.finding) found = std::move(seen_.finding);
    std::optional<sim::Finding> again;
    if (!found) {
      Failure seen = looked_at_closely(smallest);
      again = stored_again(seen);
      if (seen.outcome() == Outcome::finding) found = std::move(seen);
    }
    const auto rule = diagnose::rule_of(seen_.tried);
    if (found) {
      const std::string where = found->label();
      const bool is_shrunk = where == smallest.label();
      Explanation words = told(is_shrunk ? std::move(*found) : shrunk(std::move(*found)), where, findings);
      words.detail +=
          fmt::format("\nValues are wrong, too, with {}: {}.", smallest.label(), diagnosis.headline);
      return words;
    }
    if (rule && (diagnose::is_weak(diagnosis.cause) ||
                 (diagnose::is_place(diagnosis.cause) && says_more(*rule, smallest))))
      lead_by(*rule, smallest, diagnosis);
    findings = smallest.result.findings;
    Explanation words{Outcome::wrong_values, "wrong values: " + diagnosis.headline, values_in_words(smallest),
                      diagnosis.advice, to_string(diagnosis.cause)};
    words.failed_case = smallest.label();
    add_first(words, smallest, first);
    if (rule && diagnosis.cause != diagnose::Cause::by_case)
      words.detail += fmt::format("\nRight where {}, wrong where {}.", rule->right_where, rule->wrong_where);
    raise_equal_stores(words, diagnosis, smallest, findings);
    if (again) tell_stored_again(words, *again);
    return words;
  }

  /// Whether a rule is about more than the size of the output, of which the place of the wrong elements
  /// speaks, too.
  static bool says_more(const diagnose::CaseRule& rule, const Failure& failure) {
    if (rule.extent.empty()) return true;
    const Buffer& buffer = failure.prepared->problem.buffers()[failure.result.buffer];
    const std::int64_t extent = failure.prepared->which()[rule.extent];
    return std::find(buffer.shape.begin(), buffer.shape.end(), extent) == buffer.shape.end();
  }

  static void lead_by(const diagnose::CaseRule& rule, const Failure& shown, diagnose::Diagnosis& diagnosis) {
    const Buffer& buffer = shown.prepared->problem.buffers()[shown.result.buffer];
    const std::string before =
        diagnosis.cause == diagnose::Cause::unexplained ? "" : diagnosis.headline + ". ";
    diagnosis.headline = fmt::format("'{}' is wrong where {}, and right where {} ({} and {} cases)",
                                     buffer.name, rule.wrong_where, rule.right_where, rule.wrong, rule.right);
    diagnosis.advice = before +
                       "What in the kernel depends on that: an extent that is left out of an index "
                       "or a loop, taken for another one, or for a fixed number?";
    diagnosis.cause = diagnose::Cause::by_case;
  }

  /// Whether the run that went wrong is right as the first one of a process: then an earlier call left
  /// something.
  bool is_kept_between_calls(const Failure& failure) {
    const auto poisons = poisons_for(*failure.prepared);
    const std::vector<Case> checks = bench_.checks_of(name_);
    const bool was_first = failure.result.run == 0 && failure.label() == checks.front().label();
    if (was_first || failure.result.run >= poisons.size()) return false;
    return process_.run_afresh(*failure.prepared, poisons, failure.result.run).passed();
  }

  static Explanation kept_between_calls(const Failure& failure, std::vector<sim::Finding>& findings) {
    findings = failure.result.findings;
    return kept_words(failure, "of a process and wrong in a later one");
  }

  Failure attempt(const Case& which) {
    Failure failure{bench_.store.make(which), {}};
    failure.result = process_.run(*failure.prepared, poisons_for(*failure.prepared));
    return failure;
  }

  /// Of a small case any pattern may be chance: a larger one that fails as well shows more.
  diagnose::Diagnosis best_diagnosis(Failure& failure) {
    const auto of_failure = diagnosed(failure);
    if (failure.result.wrong.elements >= kTellingElements && !diagnose::is_place(of_failure.cause))
      return of_failure;
    const bool has_rule = !diagnose::is_weak(of_failure.cause) && !diagnose::is_place(of_failure.cause);
    std::optional<diagnose::Diagnosis> weak, place;
    if (failure.result.wrong.elements >= kTellingElements) place = of_failure;
    for (const bool same_variant : {true, false})
      for (Failure& larger : seen_.wrong) {
        const Case &a = larger.prepared->which(), &b = failure.prepared->which();
        if ((a.variant == b.variant) != same_variant || volume(a) < kTellingElements) continue;
        diagnose::Diagnosis seen = diagnosed(larger);
        // A rule that a small case is wrong by says more than these do of a large one. But one element of an
        // output that may have many follows any rule, though it is seldom nearly right by chance.
        const bool alone = failure.result.wrong.elements == 1 && larger.result.wrong.elements > 1 &&
                           of_failure.cause != diagnose::Cause::low_precision;
        if (diagnose::yields_to_a_rule(seen.cause) && has_rule && !alone) return of_failure;
        // A place may be where values of one kind happen to lie.
        if (place && seen.cause != diagnose::Cause::by_input_value) continue;
        if (diagnose::is_place(seen.cause)) {
          place = std::move(seen);
          continue;
        }
        if (!diagnose::is_weak(seen.cause)) return seen;
        if (!weak) weak = std::move(seen);
      }
    if (place) return *place;
    // A few values in wrong places may stand as those of the input do by chance.
    const bool by_chance = weak && of_failure.cause == diagnose::Cause::input_copied &&
                           weak->cause == diagnose::Cause::misplaced;
    return weak && (!has_rule || by_chance) ? *weak : of_failure;
  }

  /// Of the failed cases the one with the most wrong elements tells most.
  std::optional<diagnose::Diagnosis> read_otherwise(const Failure& failure) const {
    const Failure* most = &failure;
    const Failure* next = nullptr;
    for (const Failure& other : seen_.wrong) {
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
    return as_if_read_otherwise(bench_, *most, next);
  }

  /// The diagnosis of one failure. Where two runs differ, further ones tell why.
  diagnose::Diagnosis diagnosed(Failure& failure) {
    auto diagnosis = diagnose::diagnose(evidence_of(failure));
    if (diagnosis.cause == diagnose::Cause::differs_between_runs && run_again(failure))
      diagnosis = diagnose::diagnose(evidence_of(failure));
    return diagnosis;
  }

  /// Runs a failed case several times over each of the two fillings of its outputs, always as the first run
  /// of a fresh start, in the usual order of blocks and warps and in another one. Keeps what comes out of the
  /// filling of the second run.
  /// @return whether the same came out whenever the filling was the same
  bool run_again(Failure& failure) {
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

  /// Whether two results are the same, but for the order that sums were taken in.
  static bool agree(const Failure& failure, std::span<const std::byte> a, std::span<const std::byte> b) {
    const Buffer& buffer = failure.prepared->problem.buffers()[failure.result.buffer];
    for (std::int64_t i = 0; i < buffer.elements(); ++i)
      if (!acceptable(element_at(buffer.type, a.data(), i), element_at(buffer.type, b.data(), i),
                      buffer.tolerance))
        return false;
    return true;
  }

  /// What the output that is wrong holds after a further run; none where that failed otherwise.
  static std::optional<std::vector<std::byte>> output_after(const Failure& failure, CaseResult run) {
    const std::size_t buffer = failure.result.buffer;
    if (run.passed()) {
      const auto got = failure.prepared->got(buffer);
      return std::vector<std::byte>(got.begin(), got.end());
    }
    if (run.words.outcome != Outcome::wrong_values || run.buffer != buffer) return std::nullopt;
    return std::move(run.got);
  }

  Failure shrunk(Failure failure) {
    const Case start = failure.prepared->which();
    if (volume(start) > kShrinkElements) return failure;
    const auto deadline = SteadyClock::now() + kShrinkTime;
    bench_.emit(event::Shrinking{name_, start.label()});
    Case check = start;
    check.use = Case::Use::check;
    shrink(
        check, [&](const Case& which) { return bench_.lesson.valid(which); },
        [&](const Case& which) {
          if (SteadyClock::now() > deadline) return false;
          Failure smaller = attempt(which);
          if (failure.outcome() == Outcome::wrong_values) {
            if (smaller.outcome() == Outcome::finding && !seen_.finding) seen_.finding = smaller;
            if (smaller.outcome() == Outcome::passed || smaller.outcome() == Outcome::wrong_values)
              seen_.tried.push_back({which, smaller.result.passed()});
          }
          if (smaller.outcome() != failure.outcome()) return false;
          failure = std::move(smaller);
          return true;
        },
        kShrinkRuns);
    return failure;
  }

  /// A note that blocks or threads store one value says more where values are wrong: told beside a diagnosis,
  /// and as the verdict where there is none.
  static void raise_equal_stores(Explanation& words, const diagnose::Diagnosis& diagnosis,
                                 const Failure& failure, std::vector<sim::Finding>& findings) {
    const auto at = std::find_if(findings.begin(), findings.end(), is_equal_stores);
    if (at == findings.end()) return;
    at->cure = sim::Cure::index_each_or_atomic;
    if (diagnosis.cause != diagnose::Cause::unexplained) {
      words.detail +=
          fmt::format("\nSeveral threads store the same value to one place, at line {}.", at->line);
      return;
    }
    at->severity = sim::Severity::error;
    std::rotate(findings.begin(), at, at + 1);
    const std::string values = words.headline;
    words = explain_findings(findings);
    words.detail += fmt::format("\nWith {}: {}.", failure.label(), values);
    words.failed_case = failure.label();
  }

  /// A further run of a failed case, the first of a fresh start, in which findings are looked for in every
  /// launch, the large ones, too, and stores are counted.
  Failure looked_at_closely(const Failure& failure) {
    PreparedCase& prepared = *failure.prepared;
    prepared.closely = true;
    Failure seen{failure.prepared, process_.run_afresh(prepared, {kPoisonNan}, 0)};
    prepared.closely = false;
    return seen;
  }

  /// The note that a kernel stores several times to each element of the output that is wrong, or of any.
  static std::optional<sim::Finding> stored_again(const Failure& seen) {
    const auto is_note = [](const sim::Finding& f) { return f.kind == sim::FindingKind::stored_again; };
    const auto& all = seen.result.findings;
    auto at = all.end();
    if (seen.outcome() == Outcome::wrong_values) {
      const std::string& name = seen.prepared->problem.buffers()[seen.result.buffer].name;
      at = std::find_if(all.begin(), all.end(),
                        [&](const sim::Finding& f) { return is_note(f) && f.symbol == name; });
    } else {
      at = std::find_if(all.begin(), all.end(), is_note);
    }
    return at == all.end() ? std::nullopt : std::optional(*at);
  }

  static void tell_stored_again(Explanation& words, const sim::Finding& note) {
    words.detail += fmt::format("\nAt line {}: {}", note.line, sim::sentence(note));
    if (words.diagnosis != to_string(diagnose::Cause::unexplained)) return;
    words.headline = "wrong values: " + without_stop(sim::sentence(note));
    words.headline[14] = static_cast<char>(std::tolower(static_cast<unsigned char>(words.headline[14])));
    words.advice = kStoredAgainAdvice;
    words.diagnosis = "stored_again";
  }

  static std::string without_stop(const std::string& sentence) {
    return sentence.substr(0, sentence.find_last_not_of('.') + 1);
  }

  /// Of a rung that does not end in time: whether a smaller case shows that it does its work several times.
  void add_stores(Explanation& words) {
    std::optional<Case> largest;
    for (const Case& which : bench_.checks_of(name_))
      if (volume(which) <= kTellingElements * 16 && (!largest || volume(which) > volume(*largest)))
        largest = which;
    if (!largest) return;
    const Failure first{bench_.store.make(*largest), {}};
    const Failure seen = looked_at_closely(first);
    const auto note = stored_again(seen);
    const auto again = diagnose::stored_again(seen.result.kernels, seen.prepared->problem.buffers(), 3);
    if (!note && !again) return;
    if (note) {
      std::string said = without_stop(sim::sentence(*note));
      said[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(said[0])));
      words.headline += ": " + said;
      words.detail += fmt::format("\nThat is at line {}, with {}.", note->line, seen.label());
    } else {
      words.headline +=
          fmt::format(": a line stores {} times as often as there are elements", again->times());
      words.detail += fmt::format("\nWith {}, line {} stores {} times, and the outputs have {} elements.",
                                  seen.label(), again->line, again->stores, again->elements);
    }
    words.advice = kStoredAgainAdvice;
    words.diagnosis = "stored_again";
  }

  Bench& bench_;
  RungProcess& process_;
  const std::string& name_;
  Survey seen_;  ///< of the other cases
};

void put(const Explanation& words, const RungProcess& process, Verdict& verdict) {
  verdict.outcome = words.outcome;
  verdict.headline = words.headline;
  verdict.detail = words.detail;
  verdict.advice = words.advice;
  verdict.diagnosis = words.diagnosis;
  verdict.told_first = words.finding;
  verdict.failed_case = words.failed_case;
  verdict.printed = process.printed();
}

}  // namespace

void explain_failure(Bench& bench, RungProcess& process, Verdict& verdict,
                     std::shared_ptr<PreparedCase> prepared, CaseResult result) {
  verdict.findings.clear();
  const Explanation words = Explainer(bench, process, verdict.rung)
                                .explain({std::move(prepared), std::move(result)}, verdict.findings);
  process.stop();
  put(words, process, verdict);
}

void explain_other_values(Bench& bench, RungProcess& process, Verdict& verdict,
                          std::shared_ptr<PreparedCase> other, CaseResult result) {
  process.stop();
  CaseResult alone = process.run(*other, poisons_for(*other));
  if (!alone.passed()) return explain_failure(bench, process, verdict, std::move(other), std::move(alone));
  process.stop();
  const Failure failure{std::move(other), std::move(result)};
  Explanation words = failure.result.words;
  if (words.outcome == Outcome::wrong_values)
    words = kept_words(failure, "and wrong in the next one, with the same arrays and other values in them");
  else
    words.detail += fmt::format("\nWith {}, in a second call with the same arrays and other values in them.",
                                failure.label());
  verdict.findings = failure.result.findings;
  words.failed_case = failure.label();
  put(words, process, verdict);
}

}  // namespace ladder
