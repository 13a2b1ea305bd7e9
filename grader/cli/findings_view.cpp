#include "grader/cli/findings_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "grader/cli/files.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using Lines = std::vector<std::string>;

std::string heading(const sim::Finding& finding) {
  std::string text = finding.kind;
  if (!finding.space.empty()) text += fmt::format(" on {} memory", finding.space);
  if (!finding.symbol.empty()) text += ": " + finding.symbol;
  if (finding.space.empty() && finding.symbol.empty() && !finding.kernel.empty())
    text += " in " + finding.kernel;
  if (finding.severity != "error") text += fmt::format(" ({})", finding.severity);
  return text;
}

std::string place(const sim::Finding& finding) {
  if (finding.file.empty() || finding.line < 1) return {};
  return fmt::format("{}:{}", fs::path(finding.file).filename().string(), finding.line);
}

/// The sentence and the cure; where a message brings its cure along, they are parted here.
std::pair<std::string, std::string> sentence_and_cure(const sim::Finding& finding) {
  static constexpr std::string_view kCure = "Usual cure: ";
  const std::size_t at = finding.message.find(kCure);
  if (!finding.cure.empty() || at == std::string::npos) return {finding.message, finding.cure};
  std::string sentence = finding.message.substr(0, at);
  while (!sentence.empty() && (sentence.back() == ' ' || sentence.back() == '\n')) sentence.pop_back();
  return {sentence, finding.message.substr(at + kCure.size())};
}

/// How many columns from @p begin on belong to the expression that starts there: up to the end of the
/// statement.
std::size_t extent(const std::string& text, std::size_t begin) {
  int depth = 0;
  std::size_t end = begin;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == ';' || c == '{' || text.compare(end, 2, "//") == 0) break;
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && --depth < 0) break;
  }
  while (end > begin + 1 && text[end - 1] == ' ') --end;
  return std::max<std::size_t>(1, end - begin);
}

/// A tab takes one column in the source's count; here it takes one blank, so that carets stand right.
std::string untabbed(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return without_controls(text);
}

void add_excerpt(Lines& lines, const sim::Finding& finding, const std::string& file,
                 const Terminal& terminal) {
  std::error_code missing;
  if (finding.line < 1 || file.empty() || !fs::is_regular_file(file, missing)) return;
  const Lines source = split_lines(read_file(file));
  const auto line = static_cast<std::size_t>(finding.line);
  if (line > source.size()) return;
  const std::size_t room = static_cast<std::size_t>(terminal.width) - 10;
  const std::size_t digits = std::to_string(line).size();
  for (std::size_t at = line > 1 ? line - 1 : line; at <= line; ++at) {
    const bool guilty = at == line;
    const std::string text = untabbed(source[at - 1]);
    lines.push_back(terminal.paint(guilty ? Tone::strong : Tone::dim,
                                   fmt::format("{} {:>{}} | {}", guilty ? ">" : " ", at, digits,
                                               shorten(text, room, terminal.unicode))));
    if (!guilty) continue;
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return;
    const std::size_t begin =
        finding.column > 0 ? std::min(static_cast<std::size_t>(finding.column) - 1, text.size() - 1) : first;
    if (begin >= room) return;
    lines.push_back(terminal.paint(Tone::dim, fmt::format("  {:>{}} | ", "", digits)) +
                    std::string(begin, ' ') +
                    terminal.paint(Tone::bad, std::string(std::min(extent(text, begin), room - begin), '^')));
  }
}

void add_wrapped(Lines& lines, const std::string& text, const Terminal& terminal) {
  for (const std::string& line : wrap(text, static_cast<std::size_t>(terminal.width) - 4))
    lines.push_back(line.empty() ? line : "  " + line);
}

bool is_leak(const sim::Finding& finding) { return finding.kind == "leak" && finding.severity != "error"; }

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1 << 10) return fmt::format("{} bytes", bytes);
  if (bytes < 1 << 20) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / (1 << 10));
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

/// All that is never freed, in one sentence: most programs leave it to the end of the process.
void add_leaks(Lines& lines, const std::vector<const sim::Finding*>& leaks, const Terminal& terminal) {
  std::uint64_t number = 0, bytes = 0;
  std::string places;
  for (const sim::Finding* leak : leaks) {
    number += leak->count;
    bytes += leak->count * leak->size;
    if (const std::string where = place(*leak); !where.empty() && places.find(where) == std::string::npos)
      places += (places.empty() ? "" : ", ") + where;
  }
  std::string text =
      fmt::format("note: {} allocation{}, {}{}, {} never freed", number, number == 1 ? "" : "s",
                  size_text(bytes), number == 1 ? "" : " in all", number == 1 ? "is" : "are");
  if (!places.empty()) text += ": " + places;
  for (const std::string& line : wrap(text, static_cast<std::size_t>(terminal.width) - 2))
    lines.push_back(terminal.paint(Tone::dim, line));
}

}  // namespace

Lines finding_excerpt(const sim::Finding& finding, const Terminal& terminal, const std::string& source) {
  Lines lines;
  add_excerpt(lines, finding, source.empty() ? finding.file : source, terminal);
  return lines;
}

Lines finding_lines(const sim::Finding& finding, const Terminal& terminal, const std::string& source) {
  Lines lines;
  const std::string what = heading(finding), where = place(finding);
  const auto width = static_cast<std::size_t>(std::min(terminal.width, 80)) - 1;
  const std::size_t gap =
      std::max<std::size_t>(2, width - std::min(width, display_width(what) + where.size()));
  const Tone tone = finding.severity == "error" ? Tone::bad : Tone::warn;
  lines.push_back(terminal.paint(tone, what) + (where.empty() ? "" : std::string(gap, ' ') + where));
  auto [sentence, cure] = sentence_and_cure(finding);
  if (finding.count > 1) sentence += fmt::format(" (and {} more like it)", finding.count - 1);
  add_wrapped(lines, sentence, terminal);
  add_excerpt(lines, finding, source.empty() ? finding.file : source, terminal);
  if (!cure.empty()) add_wrapped(lines, "Usual cure: " + cure, terminal);
  return lines;
}

Lines findings_list(const std::vector<sim::Finding>& findings, const Terminal& terminal, std::size_t shown) {
  std::vector<const sim::Finding*> order, leaks;
  for (const sim::Finding& finding : findings) (is_leak(finding) ? leaks : order).push_back(&finding);
  std::stable_partition(order.begin(), order.end(),
                        [](const sim::Finding* finding) { return finding->severity == "error"; });
  Lines lines;
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i) {
    if (i > 0) lines.emplace_back();
    for (std::string& line : finding_lines(*order[i], terminal)) lines.push_back(std::move(line));
  }
  if (order.size() > shown)
    lines.push_back(terminal.paint(
        Tone::dim, fmt::format("and {} more findings; --json lists them all", order.size() - shown)));
  if (!leaks.empty()) {
    if (!lines.empty()) lines.emplace_back();
    add_leaks(lines, leaks, terminal);
  }
  return lines;
}

}  // namespace ladder::cli
