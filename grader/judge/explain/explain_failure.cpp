#include "grader/judge/explain/explain_failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/judge/explain/best_diagnosis.h"
#include "grader/judge/explain/further_runs.h"
#include "grader/judge/explain/repeated_stores.h"
#include "grader/judge/explain/survey.h"
#include "language/catalogue.h"

namespace ladder {
namespace {

constexpr std::string_view kLeak = "leak";  ///< a kind of finding that takes two calls to show

constexpr const char* kKeptAdvice = tr_noop(
    "Something outlives a call: a __device__ or static variable that is not set anew, or memory that is kept "
    "or reused and still holds what the call before left. Set it at the start of every call.");

/// What a rung that keeps something between calls is told.
/// @param when  it is wrong
Explanation kept_words(const Failure& failure, const std::string& when) {
  const Buffer& buffer = failure.prepared->problem.buffers()[failure.result.buffer];
  return {Outcome::wrong_values,
          tr("wrong values: '{}' is right in the first call {}", buffer.name, when),
          values_in_words(failure),
          tr(kKeptAdvice),
          to_string(diagnose::Cause::kept_between_calls),
          "",
          {},
          failure.label()};
}

class Explainer {
 public:
  Explainer(Bench& bench, RungProcess& process, const std::string& name)
      : bench_(bench), process_(process), name_(name), runs_(bench, process, name) {}

  /// @param findings  set to those of the case that is shown
  Explanation explain(Failure failure, std::vector<sim::Finding>& findings) {
    if (failure.outcome() == Outcome::wrong_values) return explain_values(std::move(failure), findings);
    failure = runs_.between_warps(std::move(failure));
    const std::string first = failure.label();
    const bool was_right = worth_shrinking(failure.outcome()) && failure.result.words.diagnosis != kLeak &&
                           runs_.is_kept_between_calls(failure);
    const Failure smallest =
        worth_shrinking(failure.outcome()) ? runs_.shrunk(std::move(failure), seen_) : failure;
    Explanation words = told(smallest, first, findings);
    if (words.outcome == Outcome::timed_out && !waits_for_later_block(findings))
      add_stores(words, bench_, name_, runs_);
    if (was_right) {
      words.detail +=
          tr("\nThe first call of a process passes with {}: this one starts from what an earlier call left.",
             first);
      words.advice = tr(kKeptAdvice);
      words.diagnosis = to_string(diagnose::Cause::kept_between_calls);
    }
    return words;
  }

 private:
  /// Whether it is known why the kernel does not end, however often its lines store.
  static bool waits_for_later_block(const std::vector<sim::Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const sim::Finding& f) { return f.cure.kind == sim::Cure::two_launches; });
  }

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
    words.detail = tr("{}{}With {}.", words.detail, words.detail.empty() ? "" : "\n", shown.label());
    words.failed_case = shown.label();
    add_first(words, shown, first);
    return words;
  }

  static void add_first(Explanation& words, const Failure& shown, const std::string& first) {
    if (shown.label() != first)
      words.detail += tr("\n(the smallest failing case found; {} fails, too)", first);
  }

  Explanation explain_values(Failure failure, std::vector<sim::Finding>& findings) {
    const std::string first = failure.label();
    if (runs_.is_kept_between_calls(failure)) return kept_between_calls(failure, findings);
    seen_ = survey(bench_, process_, name_, failure);
    diagnose::Diagnosis diagnosis = best_diagnosis(bench_, runs_, failure, seen_.wrong);
    std::optional<Failure> found = std::move(seen_.finding);
    Failure smallest = runs_.shrunk(std::move(failure), seen_);
    if (!found && seen_.finding) found = std::move(seen_.finding);
    std::optional<sim::Finding> again;
    if (!found) {
      Failure seen = runs_.looked_at_closely(smallest);
      again = stored_again(seen);
      if (seen.outcome() == Outcome::finding) found = std::move(seen);
    }
    const auto rule = diagnose::rule_of(seen_.tried);
    if (found) {
      const std::string where = found->label();
      const bool is_shrunk = where == smallest.label();
      Explanation words =
          told(is_shrunk ? std::move(*found) : runs_.shrunk(std::move(*found), seen_), where, findings);
      words.detail += tr("\nValues are wrong, too, with {}: {}.", smallest.label(), diagnosis.headline);
      return words;
    }
    if (rule && (diagnose::is_weak(diagnosis.cause) ||
                 (diagnose::is_place(diagnosis.cause) && says_more(*rule, smallest))))
      lead_by(*rule, smallest, diagnosis);
    if (diagnosis.cause == diagnose::Cause::unexplained && diagnose::is_shown_whole(evidence_of(smallest)))
      diagnosis.advice = tr("Work the case above by hand. ") + diagnosis.advice;
    findings = smallest.result.findings;
    Explanation words{Outcome::wrong_values, tr("wrong values: ") + diagnosis.headline,
                      values_in_words(smallest), diagnosis.advice, to_string(diagnosis.cause)};
    words.failed_case = smallest.label();
    add_first(words, smallest, first);
    // Its figures are not those of the values shown.
    if (!diagnosis.of_case.empty() && diagnosis.of_case != smallest.label())
      words.detail += tr("\n(what is said first was seen with {})", diagnosis.of_case);
    if (rule && adds_something(*rule, diagnosis))
      words.detail += "\n" + (rule->among.empty() ? tr("Right where {}, wrong where {}.", rule->right_where,
                                                       rule->wrong_where)
                                                  : tr("Of the cases '{}': right where {}, wrong where {}.",
                                                       rule->among, rule->right_where, rule->wrong_where));
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

  /// A cause that names what is done wrong is not made clearer by a list of the variants that show it.
  static bool adds_something(const diagnose::CaseRule& rule, const diagnose::Diagnosis& diagnosis) {
    if (diagnosis.cause == diagnose::Cause::by_case) return false;
    return !rule.of_variant || diagnose::is_weak(diagnosis.cause) || diagnose::is_place(diagnosis.cause);
  }

  static void lead_by(const diagnose::CaseRule& rule, const Failure& shown, diagnose::Diagnosis& diagnosis) {
    const Buffer& buffer = shown.prepared->problem.buffers()[shown.result.buffer];
    const std::string before =
        diagnosis.cause == diagnose::Cause::unexplained ? "" : tr("{}. ", diagnosis.headline);
    diagnosis.headline =
        tr("'{}' is wrong where {}, and right where {} ({} and {} cases{})", buffer.name, rule.wrong_where,
           rule.right_where, rule.wrong, rule.right, rule.among.empty() ? "" : tr(" of '{}'", rule.among));
    diagnosis.advice =
        before +
        (rule.of_variant
             ? tr("What do these cases ask of the kernel, or give to it, that the right ones do not?")
             : tr("What in the kernel depends on that: an extent that is left out of an index "
                  "or a loop, taken for another one, or for a fixed number?"));
    diagnosis.cause = diagnose::Cause::by_case;
    diagnosis.of_case.clear();
  }

  static Explanation kept_between_calls(const Failure& failure, std::vector<sim::Finding>& findings) {
    findings = failure.result.findings;
    return kept_words(failure, tr("of a process and wrong in a later one"));
  }

  Bench& bench_;
  RungProcess& process_;
  const std::string& name_;
  FurtherRuns runs_;
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
    words =
        kept_words(failure, tr("and wrong in the next one, with the same arrays and other values in them"));
  else
    words.detail +=
        tr("\nWith {}, in a second call with the same arrays and other values in them.", failure.label());
  verdict.findings = failure.result.findings;
  words.failed_case = failure.label();
  put(words, process, verdict);
}

}  // namespace ladder
