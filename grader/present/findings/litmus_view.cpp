#include "grader/present/findings/litmus_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ladder::cli {
namespace {

using sim::LitmusOutcome;
using sim::LitmusRecord;

constexpr std::size_t kMostShown = 3;  ///< executions

bool fails(const LitmusOutcome& outcome) {
  return outcome.allowed && outcome.verdict == sim::LitmusVerdict::fails;
}

/// Locations whose final value depends on the execution; all where none does.
std::vector<std::size_t> varying(const LitmusRecord& record) {
  std::vector<std::size_t> some, all;
  for (std::size_t l = 0; l < record.locations.size(); ++l) {
    all.push_back(l);
    const bool varies = std::any_of(record.outcomes.begin(), record.outcomes.end(), [&](const auto& o) {
      return o.values[l] != record.outcomes.front().values[l];
    });
    if (varies) some.push_back(l);
  }
  return some.empty() ? all : some;
}

/// "x = 1, y = 0"
std::string state(const LitmusRecord& record, const LitmusOutcome& outcome,
                  const std::vector<std::size_t>& locations) {
  std::string text;
  for (const std::size_t l : locations)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", record.locations[l], outcome.values[l]);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void add_table(std::vector<std::string>& lines, const LitmusRecord& record,
               const std::vector<std::size_t>& locations, const Terminal& terminal) {
  std::string header;
  for (const std::size_t l : locations) header += "  " + pad_left(record.locations[l], 4);
  lines.push_back(terminal.paint(Tone::dim, header + "   executions"));
  for (const LitmusOutcome& o : record.outcomes) {
    std::string row;
    for (const std::size_t l : locations)
      row += "  " + pad_left(o.values[l], std::max<std::size_t>(4, display_width(record.locations[l])));
    row += "   " + pad_left(std::to_string(o.allowed ? o.executions : 0), 10) + "   ";
    if (!o.allowed)
      row += terminal.paint(Tone::dim, "forbidden: " + joined(o.broken));
    else
      row += fails(o) ? terminal.paint(Tone::bad, "allowed, and the program fails")
                      : terminal.paint(Tone::good, "allowed");
    if (!o.failure.empty()) row += "   " + o.failure;
    lines.push_back(row);
  }
}

void add_failure(std::vector<std::string>& lines, const LitmusRecord& record, const LitmusOutcome& outcome,
                 const std::vector<std::size_t>& locations, const Terminal& terminal) {
  lines.emplace_back();
  const std::string where = state(record, outcome, locations);
  lines.push_back(terminal.paint(Tone::bad, "The program fails" + (where.empty() ? "" : " where " + where)));
  for (const std::string& line : wrap(without_controls(outcome.said), 1000))
    if (!line.empty()) lines.push_back("  " + line);
  if (!outcome.failure.empty()) lines.push_back("  " + outcome.failure);
  for (const std::string& line : execution_diagram(record, outcome, terminal)) lines.push_back("    " + line);
}

void add_notes(std::vector<std::string>& lines, const LitmusRecord& record, const Terminal& terminal) {
  for (const sim::LitmusRace& race : record.races)
    add_wrapped(lines,
                fmt::format("note: data race for {}: {}:{} and {}:{} are neither ordered nor both strong for "
                            "each other",
                            race.location, std::filesystem::path(race.file).filename().string(), race.line,
                            std::filesystem::path(race.other_file).filename().string(), race.other_line),
                "", terminal, Tone::warn);
  if (record.given_up != 0)
    add_wrapped(
        lines,
        fmt::format("note: {} ways to run a thread repeat a read too often and were left out; --turns "
                    "N allows more",
                    record.given_up),
        "", terminal, Tone::warn);
}

}  // namespace

std::vector<std::string> litmus_lines(const LitmusRecord& record, const Terminal& terminal) {
  std::vector<std::string> lines;
  if (!record.refused.empty()) {
    add_wrapped(lines, fmt::format("{} cannot be explored: {}", record.kernel, record.refused), "", terminal,
                Tone::bad);
    return lines;
  }
  lines.push_back(fmt::format("{}: {} {}, {} executions looked at", record.kernel, record.threads.size(),
                              record.threads.size() == 1 ? "thread" : "threads", record.candidates));
  const std::vector<std::size_t> locations = varying(record);
  if (record.outcomes.empty())
    lines.push_back(terminal.paint(Tone::warn, "No execution comes to its end."));
  else
    add_table(lines, record, locations, terminal);
  std::size_t failing = 0;
  for (const LitmusOutcome& outcome : record.outcomes)
    if (fails(outcome) && ++failing <= kMostShown) add_failure(lines, record, outcome, locations, terminal);
  lines.emplace_back();
  add_notes(lines, record, terminal);
  if (failing > kMostShown)
    lines.push_back(
        fmt::format("{} more outcomes fail; --json has an execution of each", failing - kMostShown));
  if (failing == 0 && !record.outcomes.empty())
    lines.push_back(terminal.paint(Tone::good, "No execution that PTX allows makes the program fail."));
  return lines;
}

}  // namespace ladder::cli
