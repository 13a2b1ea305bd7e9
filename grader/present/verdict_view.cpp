#include "grader/present/verdict_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "grader/course/rung_files.h"
#include "grader/present/detours.h"
#include "grader/present/figures.h"
#include "grader/present/findings/findings_view.h"
#include "grader/present/ladder_view.h"
#include "language/catalogue.h"
#include "simulator/lens/explain.h"

namespace ladder::cli {
namespace {

using Lines = std::vector<std::string>;

/// The file to quote a finding's line from; empty: its own.
std::string source_of(const sim::Finding& finding, const VerdictView& view) {
  const bool own =
      std::filesystem::path(finding.file).filename() == std::filesystem::path(view.file).filename();
  return own ? view.file : "";
}

/// The findings that the headline and detail do not show, in the same layout.
void add_other_findings(Lines& lines, const VerdictView& view, const Terminal& terminal) {
  constexpr std::size_t kShown = 3;
  const sim::Finding* const first = leading_finding(view.verdict);
  std::size_t shown = first == nullptr ? 0 : 1;
  ToldCures told;
  if (first != nullptr) told.is_new(*first);
  for (const sim::Finding& finding : view.verdict.findings) {
    if (&finding == first) continue;
    if (++shown > kShown) continue;
    if (shown > 1) lines.emplace_back();
    const bool with_cure = told.is_new(finding);
    for (std::string& line : finding_lines(finding, terminal, source_of(finding, view), "  ", with_cure))
      lines.push_back(std::move(line));
  }
  if (shown > kShown)
    lines.push_back(
        terminal.paint(Tone::dim, tr("  and {} more findings (--json lists them)", shown - kShown)));
}

void add_printed(Lines& lines, const Lines& printed, const Terminal& terminal) {
  if (printed.empty()) return;
  lines.push_back(terminal.paint(Tone::dim, tr("  printed by the code:")));
  for (const std::string& line : printed) lines.push_back("    " + terminal.paint(Tone::dim, line));
}

void add_todos(Lines& lines, const VerdictView& view, const Terminal& terminal) {
  for (const Todo& todo : view.open_todos) {
    const std::string where = fmt::format("{}:{}", view.file, todo.line);
    add_wrapped(lines, tr("TODO({}) at {}: {}", todo.number, where, todo.text), "  ", terminal);
  }
}

/// What a right rung's time and counters say, whether its idea works or not.
void add_time_and_counters(Lines& lines, const Verdict& verdict, const Terminal& terminal) {
  if (verdict.timing) add_wrapped(lines, timing_sentence(*verdict.timing, terminal), "  ", terminal);
  if (verdict.outcome == Outcome::passed)
    if (const auto why = sim::lens::explain(verdict.kernels))
      add_wrapped(lines, why->sentence + tr("."), "  ", terminal, Tone::warn);
  for (const std::string& line : counter_lines(verdict.kernels))
    add_wrapped(lines, line, "  ", terminal, Tone::dim);
  if (!verdict.advice.empty()) add_wrapped(lines, verdict.advice, "  ", terminal);
}

std::string heading(const VerdictView& view, const std::string& rest, const Terminal& terminal) {
  return fmt::format("{} {} {}", outcome_mark(view.verdict.outcome, terminal),
                     terminal.paint(Tone::strong, view.lesson.id(view.rung) + " " + spoken(view.rung)), rest);
}

/// Races of a rung that passes: threads that store one value to one place. The first is shown.
void add_harmless_races(Lines& lines, const VerdictView& view, const Terminal& terminal) {
  std::vector<const sim::Finding*> races;
  for (const sim::Finding& finding : view.verdict.findings)
    if (finding.kind == sim::FindingKind::race && finding.cure.kind == sim::Cure::single_store)
      races.push_back(&finding);
  if (races.empty()) return;
  for (std::string& line : finding_lines(*races[0], terminal, source_of(*races[0], view), "  "))
    lines.push_back(std::move(line));
  if (races.size() > 1)
    lines.push_back(
        terminal.paint(Tone::dim, tr("  and {} more such notes (--json lists them)", races.size() - 1)));
}

Lines passed_block(const VerdictView& view, const Terminal& terminal) {
  const Verdict& verdict = view.verdict;
  Lines lines{heading(
      view, tr("{} in {} cases", terminal.paint(Tone::good, tr("passed")), verdict.cases_passed), terminal)};
  add_time_and_counters(lines, verdict, terminal);
  append_detour(lines, view.lesson, view.rung, terminal);
  if (!verdict.detail.empty()) add_wrapped(lines, verdict.detail, "  ", terminal, Tone::dim);
  add_harmless_races(lines, view, terminal);
  add_printed(lines, verdict.printed, terminal);
  return lines;
}

/// A rung that is right and does without its idea: what is missing, and its time all the same.
Lines idea_block(const VerdictView& view, const Terminal& terminal) {
  const Verdict& verdict = view.verdict;
  Lines lines{heading(view, " " + terminal.paint(Tone::dim, view.file), terminal)};
  add_wrapped(lines, verdict.headline, "  ", terminal, Tone::warn);
  add_time_and_counters(lines, verdict, terminal);
  if (!view.open_todos.empty()) {
    lines.emplace_back();
    add_todos(lines, view, terminal);
  }
  add_printed(lines, verdict.printed, terminal);
  return lines;
}

std::string per_request(std::uint64_t amount, std::uint64_t requests) {
  return fmt::format("{:.1f}", static_cast<double>(amount) / static_cast<double>(requests));
}

}  // namespace

std::string timing_sentence(const Timing& timing, const Terminal& terminal) {
  std::string text = timing.modelled ? tr("{} modelled", time_text(timing.median_ms, terminal))
                                     : time_text(timing.median_ms, terminal);
  if (!timing.size.empty()) text += tr(" at {}", timing.size);
  constexpr double kTooFast = 1.05;
  if (timing.modelled && timing.speed_of_light > kTooFast)
    text += tr(", less than the GPU's memory allows: part of what it moves is not modelled");
  else if (timing.speed_of_light > 0)
    text += tr(", {} of the speed of light", percent_text(timing.speed_of_light));
  if (!timing.bound.empty()) text += tr(", bound by {}", bound_text(timing.bound));
  return text;
}

std::string todo_sentence(const std::vector<Todo>& todos) {
  if (todos.empty()) return {};
  std::string numbers;
  for (std::size_t i = 0; i < todos.size(); ++i)
    numbers += fmt::format("{}TODO({})",
                           i == 0                  ? ""
                           : i + 1 == todos.size() ? tr(" and ")
                                                   : ", ",
                           todos[i].number);
  return todos.size() == 1 ? tr("{} is still to do", numbers) : tr("{} are still to do", numbers);
}

Lines verdict_block(const VerdictView& view, const Terminal& terminal) {
  const Verdict& verdict = view.verdict;
  if (verdict.outcome == Outcome::passed) return passed_block(view, terminal);
  if (verdict.outcome == Outcome::idea_missing) return idea_block(view, terminal);
  Lines lines{heading(view, " " + terminal.paint(Tone::dim, view.file), terminal)};
  // A skeleton compiles: where a file does not, the compiler's word comes first and the tasks can wait.
  const bool tell_todos = !view.open_todos.empty() && verdict.outcome != Outcome::build_failed;
  if (tell_todos) add_wrapped(lines, todo_sentence(view.open_todos) + tr("."), "  ", terminal, Tone::warn);
  const std::string headline = verdict.headline.empty() ? to_string(verdict.outcome) : verdict.headline;
  add_wrapped(lines, headline, "  ", terminal, verdict.outcome == Outcome::not_run ? Tone::warn : Tone::bad);
  if (!verdict.detail.empty()) add_wrapped(lines, verdict.detail, "  ", terminal);
  const sim::Finding* const first = leading_finding(verdict);
  if (first != nullptr)
    for (std::string& line : finding_excerpt(*first, terminal, source_of(*first, view)))
      lines.push_back(std::move(line));
  // Who has the launch still to write need not be asked for it.
  const bool knows = tell_todos && verdict.diagnosis == "nothing_written";
  if (!verdict.advice.empty() && !knows) {
    if (first == nullptr) lines.emplace_back();
    add_wrapped(lines, verdict.advice, "  ", terminal);
  }
  add_other_findings(lines, view, terminal);
  if (tell_todos) {
    lines.emplace_back();
    add_todos(lines, view, terminal);
  }
  add_printed(lines, verdict.printed, terminal);
  return lines;
}

Lines counter_lines(const std::vector<sim::KernelRecord>& kernels) {
  std::map<std::string, sim::Counters> by_name;
  for (const sim::KernelRecord& kernel : kernels) by_name[kernel.name] += kernel.counters;
  Lines lines;
  for (const auto& [name, c] : by_name) {
    std::string text;
    const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : ", ") + fact; };
    if (c.global_load_requests > 0)
      add(tr("{} sectors a global load", per_request(c.global_load_sectors, c.global_load_requests)));
    if (c.global_store_requests > 0)
      add(tr("{} a store", per_request(c.global_store_sectors, c.global_store_requests)));
    if (c.shared_load_requests > 0)
      add(tr("{} wavefronts a shared load", per_request(c.shared_load_wavefronts, c.shared_load_requests)));
    if (c.shared_store_requests > 0)
      add(tr("{} a shared store", per_request(c.shared_store_wavefronts, c.shared_store_requests)));
    if (c.inst_executed > 0)
      add(tr("{} of 32 lanes at work", per_request(c.thread_inst_executed, c.inst_executed)));
    if (!text.empty()) lines.push_back(name + ": " + text);
  }
  return lines;
}

}  // namespace ladder::cli
