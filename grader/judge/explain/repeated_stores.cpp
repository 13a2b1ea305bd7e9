#include "grader/judge/explain/repeated_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grader/judge/diagnose/stores.h"
#include "language/catalogue.h"
#include "simulator/report/wording/words.h"

namespace ladder {
namespace {

constexpr const char* kStoredAgainAdvice = tr_noop(
    "Does every block, or every thread, do the whole work? A loop over the elements goes on by the threads "
    "of the "
    "whole grid, gridDim.x * blockDim.x, and begins at the thread's own index in it.");

/// Whether a finding says that threads store one value to one place: no mistake by itself, but a trace of one
/// where values are wrong.
bool is_equal_stores(const sim::Finding& finding) {
  return finding.kind == sim::FindingKind::race && finding.severity != sim::Severity::error &&
         finding.access == sim::AccessKind::write && finding.other &&
         finding.other->access == sim::AccessKind::write;
}

/// A finding's sentence as the rest of another one: begun small, and without its stop.
std::string as_clause(const sim::Finding& finding) {
  std::string said = sim::sentence(finding);
  for (const std::string_view stop : {std::string_view("."), std::string_view(tr("."))})
    while (said.ends_with(stop)) said.resize(said.size() - stop.size());
  if (!said.empty()) said[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(said[0])));
  return said;
}

}  // namespace

void raise_equal_stores(Explanation& words, const diagnose::Diagnosis& diagnosis, const Failure& failure,
                        std::vector<sim::Finding>& findings) {
  const auto at = std::find_if(findings.begin(), findings.end(), is_equal_stores);
  if (at == findings.end()) return;
  at->cure = sim::Cure::index_each_or_atomic;
  if (diagnosis.cause != diagnose::Cause::unexplained) {
    words.detail += tr("\nSeveral threads store the same value to one place, at line {}.", at->line);
    return;
  }
  at->severity = sim::Severity::error;
  std::rotate(findings.begin(), at, at + 1);
  const std::string values = words.headline;
  words = explain_findings(findings);
  words.detail += tr("\nWith {}: {}.", failure.label(), values);
  words.failed_case = failure.label();
}

std::optional<sim::Finding> stored_again(const Failure& seen) {
  const auto is_note = [](const sim::Finding& f) { return f.kind == sim::FindingKind::stored_again; };
  const auto& all = seen.result.findings;
  auto at = all.end();
  if (seen.outcome() == Outcome::wrong_values) {
    const std::string& name = seen.prepared->problem.buffers()[seen.result.buffer].name;
    at = std::find_if(all.begin(), all.end(),
                      [&](const sim::Finding& f) { return is_note(f) && f.symbol == name; });
  } else {
    // Memory for intermediate results may be stored to again and again.
    const auto buffers = seen.prepared->problem.buffers();
    at = std::find_if(all.begin(), all.end(), [&](const sim::Finding& f) {
      return is_note(f) && std::any_of(buffers.begin(), buffers.end(),
                                       [&](const Buffer& buffer) { return buffer.name == f.symbol; });
    });
  }
  return at == all.end() ? std::nullopt : std::optional(*at);
}

void tell_stored_again(Explanation& words, const sim::Finding& note) {
  words.detail += tr("\nAt line {}: {}", note.line, sim::sentence(note));
  if (words.diagnosis != to_string(diagnose::Cause::unexplained)) return;
  words.headline = tr("wrong values: ") + as_clause(note);
  words.advice = tr(kStoredAgainAdvice);
  words.diagnosis = "stored_again";
}

void add_stores(Explanation& words, Bench& bench, const std::string& rung, FurtherRuns& runs) {
  std::optional<Case> largest;
  for (const Case& which : bench.checks_of(rung))
    if (volume(which) <= kTellingElements * 16 && (!largest || volume(which) > volume(*largest)))
      largest = which;
  if (!largest) return;
  const Failure first{bench.store.make(*largest), {}};
  const Failure seen = runs.looked_at_closely(first);
  const auto note = stored_again(seen);
  const auto again = diagnose::stored_again(seen.result.kernels, seen.prepared->problem.buffers(), 3);
  if (!note && !again) return;
  if (note) {
    words.headline += ": " + as_clause(*note);
    words.detail += tr("\nThat is at line {}, with {}.", note->line, seen.label());
  } else {
    words.headline += tr(": a line stores {} times as often as there are elements", again->times());
    words.detail += tr("\nWith {}, line {} stores {} times, and the outputs have {} elements.", seen.label(),
                       again->line, again->stores, again->elements);
  }
  words.advice = tr(kStoredAgainAdvice);
  words.diagnosis = "stored_again";
}

}  // namespace ladder
