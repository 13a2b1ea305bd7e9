// An execution as a diagram.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "grader/present/findings/litmus_view.h"

namespace ladder::cli {
namespace {

using sim::LitmusStep;

/// "a" to "z", "a1" ...
std::string letter(std::size_t step) {
  const std::string name(1, static_cast<char>('a' + step % 26));
  return step < 26 ? name : name + std::to_string(step / 26);
}

/// "ld.acquire.gpu" of "ld.acquire.gpu.b32": without space, type and width.
std::string operation(const LitmusStep& step) {
  std::string short_form;
  std::size_t begin = 0;
  const std::string& text = step.instruction;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const bool type = part.size() > 1 && std::string_view("busf").find(part[0]) != std::string_view::npos &&
                      part.find_first_not_of("0123456789", 1) == std::string::npos;
    if (type || part == "global" || part.starts_with("shared")) continue;
    short_form += (short_form.empty() ? "" : ".") + part;
  }
  return short_form;
}

std::string label(const LitmusStep& step) {
  std::string what = operation(step);
  if (step.kind == "read") return fmt::format("{} {} = {}", what, step.location, step.value);
  if (step.kind == "write") return fmt::format("{} {} := {}", what, step.location, step.value);
  if (step.kind == "arrive" || step.kind == "wait") return fmt::format("{} ({}s)", what, step.kind);
  return what;
}

/// Rows so that writes stand above the reads of their values, where that can be.
std::vector<std::size_t> rows(const std::vector<LitmusStep>& steps, std::size_t threads) {
  std::vector<std::vector<std::size_t>> left(threads);
  for (std::size_t i = 0; i < steps.size(); ++i) left[static_cast<std::size_t>(steps[i].thread)].push_back(i);
  std::vector<bool> placed(steps.size());
  std::vector<std::size_t> order, next(threads);
  while (order.size() < steps.size()) {
    std::size_t chosen = threads, first = threads;
    for (std::size_t t = 0; t < threads && chosen == threads; ++t) {
      if (next[t] == left[t].size()) continue;
      if (first == threads) first = t;
      const int source = steps[left[t][next[t]]].reads_from;
      if (source < 0 || placed[static_cast<std::size_t>(source)]) chosen = t;
    }
    if (chosen == threads) chosen = first;  // the reads wait for each other
    const std::size_t step = left[chosen][next[chosen]++];
    placed[step] = true;
    order.push_back(step);
  }
  return order;
}

class Diagram {
 public:
  Diagram(const sim::LitmusRecord& record, const std::vector<LitmusStep>& steps, const Terminal& terminal)
      : steps_(steps), terminal_(terminal), begin_(record.threads.size() + 1) {
    std::vector<std::size_t> width;
    for (const std::string& thread : record.threads) width.push_back(display_width(thread));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::size_t& w = width[column(i)];
      w = std::max(w, display_width(text(i)));
    }
    for (std::size_t t = 0; t < width.size(); ++t) begin_[t + 1] = begin_[t] + width[t] + kGap;
  }

  std::string row(std::size_t step) const {
    const int source = steps_[step].reads_from;
    const std::size_t here = begin_[column(step)];
    if (source < 0 || column(static_cast<std::size_t>(source)) == column(step))
      return std::string(here, ' ') + text(step);
    const std::string from = letter(static_cast<std::size_t>(source));
    const std::size_t there = begin_[column(static_cast<std::size_t>(source))];
    if (there < here) {
      const std::size_t length = here - there - from.size() - 3;
      return std::string(there, ' ') + from + " " + line(length) + terminal_.pick("▶", ">") + " " +
             text(step);
    }
    const std::size_t end = here + display_width(text(step));
    return std::string(here, ' ') + text(step) + " " + terminal_.pick("◀", "<") + line(there - end - 3) +
           " " + from;
  }

  std::string header(const std::vector<std::string>& threads) const {
    std::string text;
    for (std::size_t t = 0; t < threads.size(); ++t)
      text += t + 1 < threads.size() ? pad_right(threads[t], begin_[t + 1] - begin_[t]) : threads[t];
    return text;
  }

 private:
  static constexpr std::size_t kGap = 8;  ///< columns between threads, for the arrows

  std::size_t column(std::size_t step) const { return static_cast<std::size_t>(steps_[step].thread); }

  std::string text(std::size_t step) const {
    const LitmusStep& s = steps_[step];
    std::string words = fmt::format("{}: {}", letter(step), label(s));
    if (s.reads_from == LitmusStep::kInitial) words += " (initial)";
    if (s.reads_from >= 0 && column(static_cast<std::size_t>(s.reads_from)) == column(step))
      words += fmt::format(" (from {})", letter(static_cast<std::size_t>(s.reads_from)));
    return words + fmt::format("  line {}", s.line);
  }

  std::string line(std::size_t columns) const {
    std::string dashes;
    for (std::size_t i = 0; i < columns; ++i) dashes += terminal_.pick("─", "-");
    return dashes;
  }

  const std::vector<LitmusStep>& steps_;
  const Terminal& terminal_;
  std::vector<std::size_t> begin_;  ///< column where a thread's text begins
};

}  // namespace

std::vector<std::string> execution_diagram(const sim::LitmusRecord& record, const sim::LitmusOutcome& outcome,
                                           const Terminal& terminal) {
  const Diagram diagram(record, outcome.steps, terminal);
  std::vector<std::string> lines{terminal.paint(Tone::strong, diagram.header(record.threads))};
  for (const std::size_t step : rows(outcome.steps, record.threads.size()))
    lines.push_back(diagram.row(step));
  return lines;
}

}  // namespace ladder::cli
